/*
 * The session cookie (RFC 6265bis). Over https its name begins with `__Host-`, which no other host and no plain http answer
 * can set; that prefix needs Secure, so an installation on plain http has another name.
 */

export type SessionCookie = {
  name: string;
  /** The token that the request carries; undefined when there is none of its form. */
  read: (request: Request) => string | undefined;
  /** `Set-Cookie` values. */
  set: (token: string) => string;
  clear: () => string;
};

const tokenForm = /^[0-9a-hjkmnp-tv-z]{52}$/;
/** The server ends a session earlier; see features/sessions. */
const maxAgeSeconds = 60 * 24 * 60 * 60;

export function createSessionCookie(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-sid' : 'hooktape_sid';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read(request) {
      for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
        const [key = '', value = ''] = pair.trim().split('=');
        if (key === name && tokenForm.test(value)) return value;
      }
      return undefined;
    },
    set: token => `${name}=${token}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
