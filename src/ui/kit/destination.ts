/* Reads a destination as people type it. */

import { withScheme } from '../../shared/typed-url.ts';

export type Destination = { url: string; problem: '' } | { url: ''; problem: string };

const schemes = /^https?:\/\//i;
const anyScheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/** @returns the URL, or the problem of the text; both are empty for an empty field */
export function readDestination(typed: string): Destination {
  const text = typed.trim();
  if (text === '') return { url: '', problem: '' };
  if (anyScheme.test(text) && !schemes.test(text)) return problem('Enter an http:// or https:// URL.');
  const url = withScheme(text);
  if (/\s/.test(url) || !URL.canParse(url)) return problem('Enter a URL such as localhost:3000/webhooks or https://….');
  const { username, password, hostname } = new URL(url);
  if (username || password) return problem('Remove the user name and password: they would be stored with the replay.');
  return hostname === '' ? problem('The URL has no host.') : { url, problem: '' };
}

/** Whether a URL leads to this machine. A text that is not a URL leads nowhere. */
export const isLoopbackUrl = (url: string): boolean =>
  URL.canParse(url) && /^(.*\.)?localhost$|^127(\.\d+){3}$|^\[::1\]$|^0\.0\.0\.0$/.test(new URL(url).hostname);

const problem = (text: string): Destination => ({ url: '', problem: text });
