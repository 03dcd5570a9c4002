/*
 * Access tokens of this server: JWTs in the profile of RFC 9068. A valid signature is not enough: each request also looks up
 * the grant that the token names. So revocation is immediate, and a stolen signing key alone makes no working token.
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
import { newToken, type RandomBytes } from '../../core/ids/ids.ts';
import type { Jwks, SigningKeys } from './signing-keys.ts';

export const accessTokenMs = 3_600_000;

const maxTokenLength = 8192;
const clockToleranceSeconds = 5;

export type AccessClaims = { accountId: string; clientId: string; grantId: string; scope: string };

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/**
 * Claims of a token whose signature has not been checked; undefined if it is not a JWT that could be accepted.
 * `expiresAt`: epoch ms until which it is accepted.
 */
export function decodeUnverified(token: string): { issuer: unknown; grantId: unknown; expiresAt: number } | undefined {
  if (token.length > maxTokenLength) return undefined;
  try {
    const header = decodeProtectedHeader(token);
    // A token must not bring its own key, and must name the key that signed it (RFC 8725 section 3).
    if (typeof header.kid !== 'string' || header.kid === '') return undefined;
    if ('jwk' in header || 'jku' in header || 'x5u' in header || 'x5c' in header) return undefined;
    const { iss: issuer, gid: grantId, exp = 0 } = decodeJwt(token);
    return { issuer, grantId, expiresAt: (exp + clockToleranceSeconds) * 1000 };
  } catch {
    return undefined;
  }
}

const errorCode = (error: unknown): string => String((error as { code?: unknown }).code);

/** Whether jose rejected the token. Any other error is a failure of this server or of an issuer. */
export const isInvalidTokenError = (error: unknown): boolean => errorCode(error).startsWith('ERR_J');

export function createAccessTokens(options: {
  signingKeys: SigningKeys;
  issuer: string;
  audiences: readonly string[];
  clock: Clock;
  random: RandomBytes;
}) {
  const { signingKeys, issuer, audiences, clock, random } = options;

  let keySet: { jwks: Jwks; getKey: JWTVerifyGetKey } | undefined;
  /** Built once for each version of the keys, because building it imports them. */
  const getKeySet = (): JWTVerifyGetKey => {
    const jwks = signingKeys.jwks();
    if (keySet?.jwks !== jwks) keySet = { jwks, getKey: createLocalJWKSet(jwks) };
    return keySet.getKey;
  };

  const verifyJwt = async (token: string): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, getKeySet(), {
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
      const { kid, key } = signingKeys.activeKey();
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

    /** The claims of a valid token of this server; undefined for an invalid one. Does not look up the grant. */
    async verify(token: string): Promise<AccessClaims | undefined> {
      try {
        const payload = await verifyJwt(token).catch(async error => {
          const isUnknownKey = errorCode(error) === 'ERR_JWKS_NO_MATCHING_KEY';
          if (!isUnknownKey || !(await signingKeys.reload())) throw error;
          return verifyJwt(token);
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
