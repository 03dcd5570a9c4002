/*
 * Access tokens of other issuers that the operator trusts (RFC 9068). The verifier is chosen by the token's unverified issuer
 * from a fixed table; no address ever comes from a token. When the issuer's keys cannot be fetched, the answer is "try again",
 * never "your token is bad".
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
  /** undefined when the token has none, or says that it is not verified. */
  email: string | undefined;
  createAccounts: boolean;
};

export type ExternalIssuers = {
  /** undefined for a token that does not hold, or whose issuer is not one of these. @throws unavailable */
  verify: (issuer: unknown, token: string) => Promise<ExternalClaims | undefined>;
};

/** Signatures only: a public key must never become the secret of an HMAC. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const toleranceSeconds = 30;
const maxTokenAge = '24 hours';

function toClaims(
  { issuer, emailClaim, createAccounts }: TrustedIssuer,
  payload: JWTPayload,
): ExternalClaims | undefined {
  const { sub, client_id: clientId, azp, email_verified: emailVerified } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return undefined;
  // An ID token is no access token, whatever its header says.
  if ('nonce' in payload || 'at_hash' in payload || 'c_hash' in payload) return undefined;
  const client = clientId ?? azp ?? '';
  if (typeof client !== 'string' || client.length > 2000) return undefined;
  const email = payload[emailClaim];
  const isUsable = typeof email === 'string' && emailVerified !== false && emailVerified !== 'false';
  return { issuer, subject: sub, clientId: client, email: isUsable ? email : undefined, createAccounts };
}

export function createExternalIssuers(options: {
  issuers: readonly TrustedIssuer[];
  fetchJson: FetchJson;
  clock: Clock;
  /** Called each time that keys could not be fetched, which is at most every five seconds. */
  onFailure: (issuer: string, cause: unknown) => void;
}): ExternalIssuers {
  const { issuers, fetchJson, clock, onFailure } = options;
  const known = new Map(
    issuers.map(trusted => {
      const keys = createRemoteJwks({
        issuer: trusted,
        fetchJson,
        monotonic: clock.monotonic,
        onFailure: cause => onFailure(trusted.issuer, cause),
      });
      return [trusted.issuer, { trusted, keys }];
    }),
  );

  return {
    async verify(issuer, token) {
      const found = typeof issuer === 'string' ? known.get(issuer) : undefined;
      if (!found) return undefined;
      const { trusted, keys } = found;
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer: trusted.issuer,
          audience: trusted.audience,
          algorithms,
          typ: 'at+jwt',
          requiredClaims: ['exp', 'iat', 'sub'],
          clockTolerance: toleranceSeconds,
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
