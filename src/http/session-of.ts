/*
 * The session of a request. A trusted header that names another person ends the session, so that signing out at the proxy, or in as
 * another person, also applies here. A session that began with the header needs a connection from a proxy: otherwise a stolen cookie
 * would outlive the sign-out there.
 */
import type { AccountIdentity } from '../core/access/principal.ts';
import type { SignInWay } from '../core/access/sign-in.ts';
import type { SessionCookie } from './cookie.ts';
import type { TrustedHeader } from './trusted-header.ts';

export type RequestSession = AccountIdentity & { sessionId: string; expiresAt: number; signedInAt: number };

export function createSessionOf<Session extends RequestSession & { way: SignInWay }>(options: {
  cookie: SessionCookie;
  header: TrustedHeader;
  /** The session of a token. */
  authenticate: (token: string) => Promise<Session | undefined>;
  end: (accountId: string, sessionId: string) => Promise<unknown>;
  now: () => number;
}) {
  const { cookie, header, authenticate, end, now } = options;
  return async (request: Request): Promise<Session | undefined> => {
    const token = cookie.read(request);
    const session = token === undefined ? undefined : await authenticate(token);
    if (!session || (session.way === 'header' && !header.isFromProxy(request))) return undefined;
    const email = header.emailOf(request);
    if (email === undefined) return session;
    // The proxy vouches for each request, so the sign-in is as recent as the request.
    if (email === session.email) return { ...session, signedInAt: now() };
    await end(session.accountId, session.sessionId);
    return undefined;
  };
}
