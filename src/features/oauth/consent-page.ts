/* The consent page and the error page of the authorization endpoint. Every value that comes from a client is escaped. */
import { deniedToApps, groupsAllowedToApps, risksOfApps } from '../../core/access/permissions.ts';
import { escapeHtml, htmlPage } from '../../core/html-page.ts';
import tokens from '../../ui/styles/tokens.css' with { type: 'text' };
import consentStyle from './consent.css' with { type: 'text' };

export type ConsentView = {
  appName: string;
  /** The host of the app's client metadata document; null for an app that registered itself. */
  verifiedHost: string | null;
  redirectHost: string;
  /** Whether the app runs on the user's own computer. */
  isLoopback: boolean;
  email: string;
  handle: string;
  /** The CSP sources that the form may lead to. */
  formAction: string;
};

export const stylesheet = `${tokens}\n${consentStyle}`;
export const consentPath = '/authorize/consent';

const risks: Partial<Record<string, string>> = risksOfApps;

const permissionList = (sentences: Readonly<Record<string, string>>): string =>
  `<ul>${Object.entries(sentences)
    .map(([permission, sentence]) => {
      const risk = risks[permission];
      return `<li>${escapeHtml(sentence)}${risk === undefined ? '' : ` <strong class="risk">${escapeHtml(risk)}</strong>`}</li>`;
    })
    .join('')}</ul>`;

const groups = Object.entries(groupsAllowedToApps)
  .map(([group, sentences]) => `<dt>${group}</dt>\n<dd>${permissionList(sentences)}</dd>`)
  .join('\n');

export function consentPage(view: ConsentView): string {
  const { appName, verifiedHost, redirectHost, isLoopback, email, handle } = view;
  const name = `<bdi>${escapeHtml(appName)}</bdi>`;
  const origin =
    verifiedHost === null
      ? '<p class="origin unverified">self-registered, not verified</p>'
      : `<p class="origin verified">${escapeHtml(verifiedHost)}</p>`;
  const warning = isLoopback
    ? `<p class="warning" role="note">You're giving access to a program on your own computer, and any program there can claim to be ${name}. Continue only if you've just started this connection yourself.</p>`
    : '';
  return htmlPage(
    `Connect ${appName}`,
    `<h1>${name} wants to connect</h1>
${origin}
${warning}
<p>It will use your account <strong>${escapeHtml(email)}</strong>, and you return to <strong>${escapeHtml(redirectHost)}</strong>. It will be able to (scope <code>webhooks</code>):</p>
<dl class="groups">
${groups}
</dl>
<details>
<summary>It won't be able to…</summary>
${permissionList(deniedToApps)}
</details>
<form method="post" action="${consentPath}">
<input type="hidden" name="handle" value="${escapeHtml(handle)}">
<button class="primary" name="decision" value="allow">Connect</button>
<button name="decision" value="deny">Cancel</button>
<p class="hint">You can disconnect the app at any time under Settings, Connected apps.</p>
</form>`,
  );
}

export const errorPage = (reason: string): string =>
  htmlPage(
    "Can't connect",
    `<h1>This app can't be connected</h1>
<p>${escapeHtml(reason)}</p>
<p class="hint">The app didn't get access. Go back to it and try again. If this keeps happening, contact its developer.</p>
<p class="hint"><a href="/app">Go to the dashboard</a></p>`,
  );
