/* Pages that the server renders: no scripts, nothing from other origins, no frames. Values from outside must be escaped. */

/** The stylesheet of these pages (features/oauth/consent-page.ts). */
export const stylesheetPath = '/consent.css';

const mark =
  '<svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="8"/><g><circle cx="11" cy="14" r="4.6"/><circle cx="21" cy="14" r="4.6"/><path d="M11 18.600V21a3.400 3.400 0 0 0 3.400 3.400H22"/></g></svg>';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => entities[character] ?? character);

export const htmlPage = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Hooktape</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<main>
<p class="brand"><a href="/app">${mark} Hooktape</a></p>
${content}
</main>
</body>
</html>
`;

/** @param formAction the sources that the form may lead to; Chromium applies them to redirects as well */
export const contentSecurityPolicy = (formAction = "'none'"): string =>
  `default-src 'none'; style-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;

export const pageHeaders = (formAction?: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(formAction),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  pragma: 'no-cache',
});
