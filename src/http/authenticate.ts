/*
 * From a request's credentials to a principal. One `Authorization: Bearer` header decides; a request that has one is never
 * judged by anything else (RFC 6750 section 2). Without one, the session cookie does.
 */
import type { SessionCookie } from './cookie.ts';
import type { Authenticate, Principal } from './gate.ts';

type Person = Pick<Principal, 'accountId' | 'email' | 'role' | 'teamId' | 'plan'>;

export type AuthenticatorOptions = {
  /** Whose API key this is. */
  keyHolder: (key: string) => Promise<(Person & { keyId: string }) | undefined>;
  cookie: SessionCookie;
  /** Whose session this is. */
  sessionHolder: (token: string) => Promise<(Person & { sessionId: string }) | undefined>;
};

/** RFC 6750 section 2.1: the scheme in any case, one space or more, one token68; nothing else. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The bearer token of the request; undefined when there is no header, null when there is one of another form. */
export function bearerToken(request: Request): string | undefined | null {
  const header = request.headers.get('authorization');
  return header === null ? undefined : (bearer.exec(header)?.[1] ?? null);
}

export function createAuthenticator({ keyHolder, cookie, sessionHolder }: AuthenticatorOptions): Authenticate {
  const person = ({ accountId, email, role, teamId, plan }: Person): Person => ({
    accountId,
    email,
    role,
    teamId,
    plan,
  });
  const byCookie = async (request: Request): Promise<Principal | undefined> => {
    const token = cookie.read(request);
    const holder = token === undefined ? undefined : await sessionHolder(token);
    return holder && { ...person(holder), credential: { kind: 'session', id: holder.sessionId } };
  };
  return async request => {
    const token = bearerToken(request);
    if (token === undefined) return byCookie(request);
    const holder = token === null ? undefined : await keyHolder(token);
    return holder && { ...person(holder), credential: { kind: 'key', id: holder.keyId } };
  };
}
