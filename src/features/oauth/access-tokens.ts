/*
 * Access tokens of this server: JWTs by the profile of RFC 9068. A signature alone opens nothing: the grant that a token
 * names is looked up for each request, so that a stolen signing key mints no working token and revocation is immediate.
 */
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Clock } from '../../core/clock.ts';
import { newToken, type RandomBytes } from '../../core/ids.ts';
import type { PublicKeys, SigningKeys } from './signing-keys.ts';

export const accessTokenMs = 3_600_000;
export const maxTokenLength = 8192;

const clockToleranceSeconds = 5;

export type AccessClaims = { accountId: string; clientId: string; grantId: string; scope: string };

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** What a token says of itself, believed by nobody yet; undefined for what is no JWT that could be accepted. */
export function decodeUnverified(token: string): { issuer: unknown; grantId: unknown } | undefined {
  if (token.length > maxTokenLength) return undefined;
  try {
    const header = decodeProtectedHeader(token);
    // A token must never bring its own key along, and must say which of ours it was signed with (RFC 8725 section 3).
    if (typeof header.kid !== 'string' || header.kid === '') return undefined;
    if ('jwk' in header || 'jku' in header || 'x5u' in header || 'x5c' in header) return undefined;
    const { iss: issuer, gid: grantId } = decodeJwt(token);
    return { issuer, grantId };
  } catch {
    return undefined;
  }
}

/** jose's own errors say that the token is bad; anything else is an incident. */
export const isInvalidTokenError = (error: unknown): boolean =>
  String((error as { code?: unknown }).code).startsWith('ERR_J');

export function createAccessTokens(options: {
  keys: SigningKeys;
  issuer: string;
  audiences: readonly string[];
  clock: Clock;
  random: RandomBytes;
}) {
  const { keys, issuer, audiences, clock, random } = options;

  let made: { from: PublicKeys; set: JWTVerifyGetKey } | undefined;
  /** Built once for each set of keys, because building it imports them. */
  const keySet = (): JWTVerifyGetKey => {
    const from = keys.published();
    if (made?.from !== from) made = { from, set: createLocalJWKSet(from) };
    return made.set;
  };

  const check = async (token: string): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, keySet(), {
      issuer,
      audience: [...audiences],
      algorithms: ['ES256'],
      typ: 'at+jwt',
      requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'jti', 'gid'],
      clockTolerance: clockToleranceSeconds,
      maxTokenAge: accessTokenMs / 1000 + 60,
      currentDate: new Date(clock.now()),
    });
    return payload;
  };

  return {
    async sign(claims: AccessClaims & { resource: string }): Promise<string> {
      const { kid, key } = keys.signer();
      const now = Math.floor(clock.now() / 1000);
      return new SignJWT({ client_id: claims.clientId, scope: claims.scope, gid: claims.grantId })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
        .setIssuer(issuer)
        .setAudience(claims.resource)
        .setSubject(claims.accountId)
        .setJti(newToken(random))
        .setIssuedAt(now)
        .setExpirationTime(now + accessTokenMs / 1000)
        .sign(key);
    },

    /** What a token of this server claims; undefined for one that does not hold. The grant is not looked at here. */
    async verify(token: string): Promise<AccessClaims | undefined> {
      try {
        const payload = await check(token).catch(async error => {
          if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY' || !(await keys.lookAgain()))
            throw error;
          return check(token);
        });
        const { sub, client_id: clientId, gid, scope, jti } = payload;
        if (typeof sub !== 'string' || typeof clientId !== 'string' || typeof gid !== 'string') return undefined;
        if (typeof jti !== 'string' || jti === '') return undefined;
        return { accountId: sub, clientId, grantId: gid, scope: typeof scope === 'string' ? scope : '' };
      } catch (error) {
        if (isInvalidTokenError(error)) return undefined;
        throw error;
      }
    },
  };
}
