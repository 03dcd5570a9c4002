/* What a browser shows when a sign-in at the provider does not succeed. */
import { escapeHtml, htmlPage } from '../../core/html-page.ts';

export const startPath = '/login/oidc';

const link = (href: string, text: string): string => `<p><a href="${escapeHtml(href)}">${text}</a></p>`;
const page = (heading: string, text: string, links: string): string =>
  htmlPage("Can't sign in", `<h1>${escapeHtml(heading)}</h1>\n<p>${escapeHtml(text)}</p>\n${links}`);
/** @param to the path to return to, if it is known */
const startLink = (text: string, to: string | undefined): string =>
  link(to === undefined ? startPath : `${startPath}?return_to=${encodeURIComponent(to)}`, text);
const otherWays = link('/login', 'Other ways to sign in');

/** The text is always the same: it does not tell whether there is an account. */
export const refusedPage = (name: string): string =>
  page(
    `You can't sign in with this ${name} account`,
    `Ask the owner of your team to invite you, and check at ${name} that your email address is verified and that you may use Hooktape. If you have an account here, sign in another way and connect ${name} under Settings, Signing in.`,
    otherWays,
  );

export const startAgainPage = (name: string, to?: string): string =>
  page(
    'Start again',
    `The sign-in with ${name} did not succeed: it was cancelled, took more than 10 minutes, was used already, or was begun in another browser or tab.`,
    startLink('Start again', to) + otherWays,
  );

export const unavailablePage = (name: string, ways: { password: boolean; passkeys: boolean }, to?: string): string => {
  const working = [
    ...(ways.password ? ['your password'] : []),
    ...(ways.passkeys ? ['a passkey'] : []),
    'a sign-in link, which the operator of this server makes with hooktape account sign-in-link',
  ];
  return page(
    `${name} can't be reached`,
    `Try again in a few seconds. You can still sign in with ${working.join(', or with ')}.`,
    startLink('Try again', to) + otherWays,
  );
};

export const tooManyPage = (name: string): string =>
  page('Too many sign-ins', `Too many sign-ins with ${name} were begun from your network. Try again in a minute.`, '');
