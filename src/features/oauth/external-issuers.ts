/*
 * Access tokens of external issuers that the operator trusts (RFC 9068). The unverified issuer of a token selects an entry of
 * the configuration; no URL is ever taken from a token. When the issuer's keys cannot be fetched, the request fails with
 * "unavailable", because the token may well be valid.
 */
import { type JWTPayload, jwtVerify } from 'jose';
import type { TrustedIssuer } from '../../config/issuers.ts';
import type { Clock } from '../../core/clock.ts';
import { isInvalidTokenError } from './access-tokens.ts';
import { createRemoteJwks, type FetchJson } from './remote-jwks.ts';

export type ExternalClaims = {
  issuer: string;
  subject: string;
  clientId: string;
  /** undefined when the token has none, or marks it as not verified. */
  email: string | undefined;
  createAccounts: boolean;
};

/** HMAC is missing, so that a public key can never be used as a shared secret. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const clockToleranceSeconds = 30;
const maxTokenAge = '24 hours';

function toClaims(
  { issuer, emailClaim, createAccounts }: TrustedIssuer,
  payload: JWTPayload,
): ExternalClaims | undefined {
  const { sub, client_id: clientId, azp, email_verified: emailVerified } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return undefined;
  // Only ID tokens have these claims.
  if ('nonce' in payload || 'at_hash' in payload || 'c_hash' in payload) return undefined;
  const client = clientId ?? azp ?? '';
  if (typeof client !== 'string' || client.length > 2000) return undefined;
  const email = payload[emailClaim];
  const isUsableEmail = typeof email === 'string' && emailVerified !== false && emailVerified !== 'false';
  return { issuer, subject: sub, clientId: client, email: isUsableEmail ? email : undefined, createAccounts };
}

export function createExternalIssuers(options: {
  issuers: readonly TrustedIssuer[];
  fetchJson: FetchJson;
  clock: Clock;
  /** Called when the keys of an issuer could not be fetched, at most every five seconds. */
  onFailure: (issuer: string, cause: unknown) => void;
}) {
  const { issuers, fetchJson, clock, onFailure } = options;
  const verifiers = new Map(
    issuers.map(trusted => {
      const getKey = createRemoteJwks({
        issuer: trusted,
        fetchJson,
        monotonic: clock.monotonic,
        onFailure: cause => onFailure(trusted.issuer, cause),
      });
      return [trusted.issuer, { trusted, getKey }];
    }),
  );

  return {
    /** The claims of a valid token; undefined for an invalid one or an unknown issuer. @throws unavailable */
    async verify(issuer: unknown, token: string): Promise<ExternalClaims | undefined> {
      const found = typeof issuer === 'string' ? verifiers.get(issuer) : undefined;
      if (!found) return undefined;
      const { trusted, getKey } = found;
      try {
        const { payload } = await jwtVerify(token, getKey, {
          issuer: trusted.issuer,
          audience: trusted.audience,
          algorithms,
          typ: 'at+jwt',
          requiredClaims: ['exp', 'iat', 'sub'],
          clockTolerance: clockToleranceSeconds,
          maxTokenAge,
          currentDate: new Date(clock.now()),
        });
        return toClaims(trusted, payload);
      } catch (error) {
        if (isInvalidTokenError(error)) return undefined;
        throw error;
      }
    },
  };
}
