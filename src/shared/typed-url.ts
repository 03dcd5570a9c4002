/* URLs as users type them. A URL without a scheme gets http for this machine and its network, and https otherwise. */

const anyScheme = /^[a-z][a-z0-9+.-]*:\/\//i;
const localHost = /^(localhost|.*\.(localhost|local|test|internal|lan)|[^.]+|\d+\.\d+\.\d+\.\d+|\[.*\])$/i;
const port = /:(\d{1,5})$/;

/** Adds a missing scheme. `:3000` and `3000` are ports of this machine. */
export function withScheme(text: string): string {
  if (text === '' || anyScheme.test(text)) return text;
  const [, digits, rest = ''] = /^:?(\d{1,5})((?:[/?#].*)?)$/s.exec(text) ?? [];
  if (digits !== undefined) return `http://localhost:${digits}${rest}`;
  const bare = text.replace(/^\/\//, '');
  const authority = bare.split(/[/?#]/, 1)[0] ?? '';
  const isLocal = localHost.test(authority.replace(port, ''));
  const secure = /:443$/.test(authority);
  return `${!secure && (isLocal || port.test(authority)) ? 'http' : 'https'}://${bare}`;
}
