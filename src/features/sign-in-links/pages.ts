/* The page of a sign-in link. Opening it changes nothing, because programs open links for previews: a button signs in. */
import { escapeHtml, htmlPage } from '../../core/html-page.ts';

export const linkPath = '/login/link';

export const linkPage = ({ email, token }: { email: string; token: string }): string =>
  htmlPage(
    'Sign in',
    `<h1>Sign in to Hooktape?</h1>
<p>This link signs you in as <strong>${escapeHtml(email)}</strong>. It works once.</p>
<form method="post" action="${linkPath}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button class="primary">Sign in</button>
</form>`,
  );

export const invalidLinkPage = (): string =>
  htmlPage(
    'Not signed in',
    `<h1>This link doesn't work any more</h1>
<p>It was used already, it has expired, or a newer one replaced it. Ask an administrator of this server for a new link.</p>
<p class="hint"><a href="/login">Go to the sign-in page</a></p>`,
  );

export const foreignFormPage = (): string =>
  htmlPage('Not signed in', '<h1>Open the link again</h1>\n<p>The request did not come from the page of the link.</p>');
