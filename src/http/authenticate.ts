/*
 * From a request's credentials to a principal. One `Authorization: Bearer` header decides; a request that has one is never
 * judged by anything else (RFC 6750 section 2).
 */
import type { Authenticate, Principal } from './gate.ts';

type Person = Pick<Principal, 'accountId' | 'email' | 'role' | 'teamId' | 'plan'>;

export type AuthenticatorOptions = {
  /** Whose API key this is. */
  keyHolder: (key: string) => Promise<(Person & { keyId: string }) | undefined>;
};

/** RFC 6750 section 2.1: the scheme in any case, one space or more, one token68; nothing else. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The bearer token of the request; undefined when there is no header, null when there is one of another form. */
export function bearerToken(request: Request): string | undefined | null {
  const header = request.headers.get('authorization');
  return header === null ? undefined : (bearer.exec(header)?.[1] ?? null);
}

export function createAuthenticator({ keyHolder }: AuthenticatorOptions): Authenticate {
  return async request => {
    const token = bearerToken(request);
    if (!token) return undefined;
    const holder = await keyHolder(token);
    if (!holder) return undefined;
    const { accountId, email, role, teamId, plan, keyId } = holder;
    return { accountId, email, role, teamId, plan, credential: { kind: 'key', id: keyId } };
  };
}
