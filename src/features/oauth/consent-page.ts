/*
 * The pages that a person sees on the way: the question whether to let an app in, and what went wrong. No script, nothing
 * from elsewhere, never framed; every value that a stranger chose is text.
 */
import { allowedToApps, deniedToApps, type Permission } from '../../core/app-permissions.ts';
import consentStyle from './consent.css' with { type: 'text' };

export type ConsentView = {
  appName: string;
  /** The host that the app's id proves, null for one that registered itself. */
  verifiedHost: string | null;
  redirectHost: string;
  /** The answer goes to a program on the person's own computer. */
  isLoopback: boolean;
  email: string;
  handle: string;
  /** Which origins the form may end at, for the policy. */
  formAction: string;
};

export const stylesheet = consentStyle as unknown as string;
export const consentPath = '/authorize/consent';
export const stylesheetPath = '/consent.css';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const asText = (text: string): string => text.replace(/[&<>"']/g, sign => entities[sign] ?? sign);

const document = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${asText(title)} · Hooktape</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<main>
<p class="brand">Hooktape</p>
${content}
</main>
</body>
</html>
`;

const listOf = (permissions: readonly Permission[]): string =>
  `<ul>${permissions.map(({ description }) => `<li>${asText(description)}</li>`).join('')}</ul>`;

export function consentPage(view: ConsentView): string {
  const { appName, verifiedHost, redirectHost, isLoopback, email, handle } = view;
  const name = `<bdi>${asText(appName)}</bdi>`;
  const origin =
    verifiedHost === null
      ? '<p class="origin unverified">self-registered, not verified</p>'
      : `<p class="origin verified">${asText(verifiedHost)}</p>`;
  const warning = isLoopback
    ? `<p class="warning" role="note">The answer goes to a program on your own computer, and any program there can call itself ${name}. Go on only if you have just started this connection yourself.</p>`
    : '';
  return document(
    `Connect ${appName}`,
    `<h1>${name} wants to connect</h1>
${origin}
<dl>
<dt>It will be able to (<code>webhooks</code>)</dt>
<dd>${listOf(allowedToApps)}</dd>
<dt>It will not be able to</dt>
<dd>${listOf(deniedToApps)}</dd>
<dt>It returns to</dt>
<dd>${asText(redirectHost)}</dd>
<dt>Your account</dt>
<dd>${asText(email)}</dd>
</dl>
${warning}
<form method="post" action="${consentPath}">
<input type="hidden" name="handle" value="${asText(handle)}">
<button class="primary" name="decision" value="allow">Connect</button>
<button name="decision" value="deny">Cancel</button>
</form>
<p class="hint">You can disconnect it at any time in the settings.</p>`,
  );
}

export const errorPage = (reason: string): string =>
  document(
    'Cannot connect',
    `<h1>This app cannot be connected</h1>
<p>${asText(reason)}</p>
<p class="hint">Nothing was shared. Go back to the app and try again; if it stays like this, the app's developer can help.</p>`,
  );

/** @param formAction where the form may go, redirects included: Chromium judges the whole chain by it */
export const contentSecurityPolicy = (formAction = "'none'"): string =>
  `default-src 'none'; style-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;
