/*
 * From a request's credentials to a principal. One `Authorization: Bearer` header decides; a request that has one is never
 * judged by anything else (RFC 6750 section 2). Without one, the session cookie does.
 */
import { forbidden } from '../core/errors.ts';
import type { AccountHolder, ActingApp, Principal } from '../core/principal.ts';
import type { SessionCookie } from './cookie.ts';
import type { Authenticate } from './gate.ts';

export type AuthenticatorOptions = {
  /** Whose API key this is; `app`: which app made it. */
  keyHolder: (key: string) => Promise<(AccountHolder & { keyId: string; app: ActingApp | undefined }) | undefined>;
  /** For which connected app and person this access token speaks. */
  appHolder: (
    token: string,
  ) => Promise<(AccountHolder & { appId: string; grantId: string | null }) | 'insufficient_scope' | undefined>;
  cookie: SessionCookie;
  /** Whose session this is. */
  sessionHolder: (token: string) => Promise<(AccountHolder & { sessionId: string }) | undefined>;
};

/** RFC 6750 section 2.1: the scheme in any case, one space or more, one token68; nothing else. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The bearer token of the request; undefined when there is no header, null when there is one of another form. */
export function bearerToken(request: Request): string | undefined | null {
  const header = request.headers.get('authorization');
  return header === null ? undefined : (bearer.exec(header)?.[1] ?? null);
}

/** Whether it is worth saying what is wrong with the token: RFC 6750 section 3.1 says nothing to a request without one. */
export const presentsBearer = (request: Request): boolean =>
  /^bearer(?: |$)/i.test(request.headers.get('authorization') ?? '');

const holderOf = ({ accountId, email, role, teamId, plan }: AccountHolder): AccountHolder => ({
  accountId,
  email,
  role,
  teamId,
  plan,
});

/** @throws forbidden for a token whose scope is too small, and what `appHolder` throws */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { keyHolder, appHolder, cookie, sessionHolder } = options;

  const byCookie = async (request: Request): Promise<Principal | undefined> => {
    const token = cookie.read(request);
    const holder = token === undefined ? undefined : await sessionHolder(token);
    return holder && { ...holderOf(holder), credential: { kind: 'session', id: holder.sessionId }, app: undefined };
  };
  const byToken = async (token: string): Promise<Principal | undefined> => {
    if (token.startsWith('htk_')) {
      const holder = await keyHolder(token);
      return holder && { ...holderOf(holder), credential: { kind: 'key', id: holder.keyId }, app: holder.app };
    }
    const holder = await appHolder(token);
    if (holder === 'insufficient_scope') throw forbidden('the access token lacks the scope webhooks');
    return (
      holder && {
        ...holderOf(holder),
        credential: { kind: 'app', id: holder.appId },
        app: { id: holder.appId, grantId: holder.grantId },
      }
    );
  };

  return async request => {
    const token = bearerToken(request);
    if (token === undefined) return byCookie(request);
    return token === null ? undefined : byToken(token);
  };
}
