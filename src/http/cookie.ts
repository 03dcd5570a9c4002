/*
 * The session cookie (RFC 6265bis). Over https its name begins with `__Host-`: then no other host and no plain http response can set
 * it. The prefix requires Secure, so an installation on plain http uses another name.
 */

export type SessionCookie = ReturnType<typeof createSessionCookie>;

const tokenForm = /^[0-9a-hjkmnp-tv-z]{52}$/;
/** Sessions expire earlier on the server (features/sessions). */
const maxAgeSeconds = 60 * 24 * 60 * 60;

export function createSessionCookie(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-sid' : 'hooktape_sid';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const tokenIn = (pairs: readonly string[] = []): string | undefined => {
    for (const pair of pairs) {
      const [key = '', value = ''] = pair.trim().split('=');
      if (key === name && tokenForm.test(value)) return value;
    }
    return undefined;
  };
  return {
    name,
    /** The request's session token; undefined without one of the right form. */
    read: (request: Request) => tokenIn(request.headers.get('cookie')?.split(';')),
    /** The session token that a response sets. */
    readAnswer: (answer: Response) => tokenIn(answer.headers.getSetCookie().map(line => line.split(';')[0] ?? '')),
    /** `set` and `clear` return values of `Set-Cookie`. */
    set: (token: string) => `${name}=${token}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
