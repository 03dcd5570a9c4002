/*
 * Access tokens of other issuers that the operator trusts (RFC 8414 or OpenID discovery, RFC 9068). The verifier is chosen
 * by the token's unverified issuer from a fixed table; no address ever comes from a token. Keys are cached; when they cannot
 * be had, the answer is "try again", never "your token is bad".
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock } from '../../core/clock.ts';
import { unavailable } from '../../core/errors.ts';
import type { TrustedIssuer } from '../../core/settings/issuers.ts';
import { isTokenFault } from './access-tokens.ts';

/** A JSON document of an operator's own choosing. @throws when it cannot be had */
export type FetchJson = (url: string) => Promise<unknown>;

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
const freshMs = 10 * 60_000;
const usableMs = 3_600_000;
const cooldownMs = 30_000;
const backOffMs = 5000;
const toleranceSeconds = 30;
const maxTokenAge = '24 hours';

/** RFC 8414 section 3.1 puts the well-known part before the path, OpenID Connect Discovery behind it. */
function discoveryUrls(issuer: string): string[] {
  const url = new URL(issuer);
  const path = url.pathname.replace(/\/$/, '');
  return [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  ];
}

async function discoverJwksUri(issuer: string, fetchJson: FetchJson): Promise<string> {
  let problem: unknown;
  for (const url of discoveryUrls(issuer)) {
    try {
      const found = (await fetchJson(url)) as { issuer?: unknown; jwks_uri?: unknown };
      if (found.issuer !== issuer) throw new Error(`${url} describes another issuer`);
      if (typeof found.jwks_uri !== 'string' || !/^https?:\/\//.test(found.jwks_uri))
        throw new Error(`${url} has no jwks_uri`);
      return found.jwks_uri;
    } catch (error) {
      problem ??= error;
    }
  }
  throw problem;
}

type KeyCache = {
  keys: () => Promise<JWTVerifyGetKey>;
  /** The keys after another look, because none of the known ones fits; undefined when it is too early for one. */
  newer: () => Promise<JWTVerifyGetKey | undefined>;
};

function createKeyCache(
  trusted: TrustedIssuer,
  fetchJson: FetchJson,
  monotonic: () => number,
  onFailure: (issuer: string, cause: unknown) => void,
): KeyCache {
  let jwksUri = trusted.jwksUri;
  let held: { set: JWTVerifyGetKey; at: number } | undefined;
  let failed = { at: Number.NEGATIVE_INFINITY, cause: undefined as unknown };
  let underWay: Promise<JWTVerifyGetKey> | undefined;

  const fetchKeys = async (): Promise<JWTVerifyGetKey> => {
    try {
      jwksUri ??= await discoverJwksUri(trusted.issuer, fetchJson);
      const set = createLocalJWKSet((await fetchJson(jwksUri)) as JSONWebKeySet);
      held = { set, at: monotonic() };
      return set;
    } catch (cause) {
      failed = { at: monotonic(), cause };
      onFailure(trusted.issuer, cause);
      throw cause;
    }
  };

  const refresh = async (): Promise<JWTVerifyGetKey> => {
    try {
      if (monotonic() - failed.at < backOffMs) throw failed.cause;
      underWay ??= fetchKeys().finally(() => {
        underWay = undefined;
      });
      return await underWay;
    } catch (cause) {
      throw unavailable('the issuer of this token cannot be reached, try again', backOffMs / 1000, cause);
    }
  };

  return {
    async keys() {
      const age = held ? monotonic() - held.at : Number.POSITIVE_INFINITY;
      if (held && age < freshMs) return held.set;
      try {
        return await refresh();
      } catch (error) {
        if (held && age < usableMs) return held.set;
        throw error;
      }
    },
    async newer() {
      return held && monotonic() - held.at < cooldownMs ? undefined : refresh();
    },
  };
}

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
  /** Told each time that keys could not be had, which is at most every five seconds. */
  onFailure: (issuer: string, cause: unknown) => void;
}): ExternalIssuers {
  const { issuers, fetchJson, clock, onFailure } = options;
  const known = new Map(
    issuers.map(trusted => [
      trusted.issuer,
      { trusted, cache: createKeyCache(trusted, fetchJson, clock.monotonic, onFailure) },
    ]),
  );

  return {
    async verify(issuer, token) {
      const found = typeof issuer === 'string' ? known.get(issuer) : undefined;
      if (!found) return undefined;
      const { trusted, cache } = found;
      const check = async (keys: JWTVerifyGetKey): Promise<JWTPayload> =>
        (
          await jwtVerify(token, keys, {
            issuer: trusted.issuer,
            audience: trusted.audience,
            algorithms,
            typ: 'at+jwt',
            requiredClaims: ['exp', 'iat', 'sub'],
            clockTolerance: toleranceSeconds,
            maxTokenAge,
            currentDate: new Date(clock.now()),
          })
        ).payload;
      const keys = await cache.keys();
      try {
        const payload = await check(keys).catch(async error => {
          const newer =
            (error as { code?: string }).code === 'ERR_JWKS_NO_MATCHING_KEY' ? await cache.newer() : undefined;
          if (!newer) throw error;
          return check(newer);
        });
        return toClaims(trusted, payload);
      } catch (error) {
        if (isTokenFault(error)) return undefined;
        throw error;
      }
    },
  };
}
