/* The page on which a person approves the sign-in of the command line. Every value that comes from a program is escaped. */
import { escapeHtml, htmlPage } from '../../core/html-page.ts';

export type KeyLoginView = {
  /** The name of the key that will be created. */
  name: string;
  port: number;
  /** The code that the terminal also shows. */
  code: string;
  email: string;
  handle: string;
};

export const keyLoginPath = '/authorize/key';

/** @returns the page, and the sources that its form may lead to */
export const keyLoginPage = ({
  name,
  port,
  code,
  email,
  handle,
}: KeyLoginView): { page: string; formAction: string } => ({
  formAction: `'self' http://127.0.0.1:${port}`,
  page: htmlPage(
    'Sign in on the command line',
    `<h1>Sign in on the command line?</h1>
<p>Does your terminal show this code?</p>
<p class="code"><code>${escapeHtml(code)}</code></p>
<dl>
<dt>It gets an API key</dt>
<dd><bdi>${escapeHtml(name)}</bdi>, which can do everything an API key can: read, change and delete your endpoints and events</dd>
<dt>Your account</dt>
<dd>${escapeHtml(email)}</dd>
</dl>
<p class="warning" role="note">Allow this only if you have just run <code>hooktape login</code> on this computer and the codes are the same. If someone sent you here, cancel.</p>
<form method="post" action="${keyLoginPath}">
<input type="hidden" name="handle" value="${escapeHtml(handle)}">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button>
</form>
<p class="hint">You can revoke the key at any time in the settings, or with <code>hooktape logout</code>.</p>`,
  ),
});

export const keyLoginErrorPage = (reason: string): string =>
  htmlPage('Not signed in', `<h1>The command line isn't signed in</h1>\n<p>${escapeHtml(reason)}</p>`);
