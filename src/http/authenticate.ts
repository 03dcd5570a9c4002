/*
 * Turns the credentials of a request into a principal. An `Authorization` header takes precedence (RFC 6750 section 2); the
 * session cookie counts only without one.
 */

import type { AccountIdentity, ActingApp, Principal } from '../core/access/principal.ts';
import { forbidden } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import type { Authenticate } from './gate.ts';
import type { RequestSession } from './session-of.ts';

export type AuthenticatorOptions = {
  /** The account that the API key belongs to; `app`: the app that created the key. */
  keyHolder: (key: string) => Promise<
    | (AccountIdentity & {
        keyId: string;
        app: ActingApp | undefined;
        isReadOnly: boolean;
        /** Epoch ms; null: never. */
        expiresAt: number | null;
      })
    | undefined
  >;
  /** The account and the connected app that the access token was issued for. */
  appHolder: (token: string) => Promise<
    | (AccountIdentity & {
        appId: string;
        grantId: string | null;
        /** Epoch ms. */
        expiresAt: number;
      })
    | 'insufficient_scope'
    | undefined
  >;
  /** The session of the request's cookie. */
  sessionOf: (request: Request) => Promise<RequestSession | undefined>;
};

/** RFC 6750 section 2.1: the scheme in any case, spaces, one token68. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** @returns undefined without an `Authorization` header, null for a header without a bearer token */
export function bearerToken(request: Request): string | undefined | null {
  const header = request.headers.get('authorization');
  return header === null ? undefined : (bearer.exec(header)?.[1] ?? null);
}

/** Whether a 401 names an error code: RFC 6750 section 3.1 allows it only for a request with a bearer token. */
export const presentsBearer = (request: Request): boolean =>
  /^bearer(?: |$)/i.test(request.headers.get('authorization') ?? '');

const identityOf = (holder: AccountIdentity): AccountIdentity =>
  pick(holder, 'accountId', 'email', 'role', 'teamId', 'plan');

/** @throws forbidden for a token of insufficient scope, and what `appHolder` throws */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { keyHolder, appHolder, sessionOf } = options;

  const byCookie = async (request: Request): Promise<Principal | undefined> => {
    const holder = await sessionOf(request);
    return (
      holder && {
        ...identityOf(holder),
        credential: { kind: 'session', id: holder.sessionId },
        app: undefined,
        isReadOnly: false,
        validUntil: holder.expiresAt,
        signedInAt: holder.signedInAt,
      }
    );
  };
  const byToken = async (token: string): Promise<Principal | undefined> => {
    if (token.startsWith('htk_')) {
      const holder = await keyHolder(token);
      return (
        holder && {
          ...identityOf(holder),
          credential: { kind: 'key', id: holder.keyId },
          app: holder.app,
          isReadOnly: holder.isReadOnly,
          validUntil: holder.expiresAt ?? undefined,
        }
      );
    }
    const holder = await appHolder(token);
    if (holder === 'insufficient_scope') throw forbidden('the access token lacks the scope webhooks');
    return (
      holder && {
        ...identityOf(holder),
        credential: { kind: 'app', id: holder.appId },
        app: { id: holder.appId, grantId: holder.grantId },
        isReadOnly: false,
        validUntil: holder.expiresAt,
      }
    );
  };

  return async request => {
    const token = bearerToken(request);
    if (token === undefined) return byCookie(request);
    return token === null ? undefined : byToken(token);
  };
}
