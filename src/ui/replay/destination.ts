/* Reads a destination as people type it: without a scheme it is http on this machine and its network, and https elsewhere. */

export type Destination = { url: string; problem: '' } | { url: ''; problem: string };

const schemes = /^https?:\/\//i;
const anyScheme = /^[a-z][a-z0-9+.-]*:\/\//i;
const localHost = /^(localhost|.*\.(localhost|local|test|internal|lan)|[^.]+|\d+\.\d+\.\d+\.\d+|\[.*\])$/i;
const port = /:(\d{1,5})$/;

/** @returns the URL, or why it is none; both are empty for an empty field */
export function readDestination(typed: string): Destination {
  const text = typed.trim();
  if (text === '') return { url: '', problem: '' };
  if (anyScheme.test(text) && !schemes.test(text)) return problem('Only http:// and https:// URLs can be sent to.');
  const url = schemes.test(text) ? text : withScheme(text);
  if (/\s/.test(url) || !URL.canParse(url))
    return problem("That isn't a URL. Enter it as localhost:3000/webhooks or https://….");
  const { username, password, hostname } = new URL(url);
  if (username || password)
    return problem('Leave out the user name and password: they would be stored with the replay.');
  return hostname === '' ? problem('The URL has no host.') : { url, problem: '' };
}

const problem = (text: string): Destination => ({ url: '', problem: text });

/** `:3000` and `3000` are ports of this machine. */
function withScheme(text: string): string {
  const [, digits, rest = ''] = /^:?(\d{1,5})((?:[/?#].*)?)$/s.exec(text) ?? [];
  if (digits !== undefined) return `http://localhost:${digits}${rest}`;
  const bare = text.replace(/^\/\//, '');
  const authority = bare.split(/[/?#]/, 1)[0] ?? '';
  const isLocal = localHost.test(authority.replace(port, ''));
  const secure = /:443$/.test(authority);
  return `${!secure && (isLocal || port.test(authority)) ? 'http' : 'https'}://${bare}`;
}
