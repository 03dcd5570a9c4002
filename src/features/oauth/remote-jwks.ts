/*
 * The public keys of a trusted issuer. jose caches and refreshes them; this module finds their address, keeps the last good
 * set for the time when the issuer is down, and stops asking an issuer that does not answer.
 */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { TrustedIssuer } from '../../config/issuers.ts';
import { unavailable } from '../../core/errors.ts';

/** A JSON document at an address that the operator configured. @throws when it cannot be fetched */
export type FetchJson = (url: string) => Promise<unknown>;

/** How long the last good keys serve while the issuer cannot be reached. */
const staleMs = 3_600_000;
/** How long an issuer is left alone after it could not be reached. */
const backOffMs = 5000;

/** RFC 8414 section 3.1 puts the well-known part before the path, OpenID Connect Discovery after it. */
function discoveryUrls(issuer: string): string[] {
  const url = new URL(issuer);
  const path = url.pathname.replace(/\/$/, '');
  return [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  ];
}

async function discoverJwksUri(issuer: string, fetchJson: FetchJson): Promise<string> {
  let firstError: unknown;
  for (const url of discoveryUrls(issuer)) {
    try {
      const found = (await fetchJson(url)) as { issuer?: unknown; jwks_uri?: unknown };
      if (found.issuer !== issuer) throw new Error(`${url} describes another issuer`);
      if (typeof found.jwks_uri !== 'string' || !/^https?:\/\//.test(found.jwks_uri))
        throw new Error(`${url} has no jwks_uri`);
      return found.jwks_uri;
    } catch (error) {
      firstError ??= error;
    }
  }
  throw firstError;
}

/**
 * The key lookup that `jwtVerify` takes. Keys are fetched again after ten minutes, and for an unknown key at most every 30
 * seconds (jose's defaults).
 * @throws unavailable when the issuer cannot be reached and no keys of the last hour are held
 */
export function createRemoteJwks(options: {
  issuer: Pick<TrustedIssuer, 'issuer' | 'jwksUri'>;
  fetchJson: FetchJson;
  monotonic: () => number;
  /** Called each time that the keys could not be fetched, which is at most every five seconds. */
  onFailure: (cause: unknown) => void;
}): JWTVerifyGetKey {
  const { issuer, fetchJson, monotonic, onFailure } = options;
  let lastGood: { jwks: unknown; at: number } | undefined;
  let lastFailure: { cause: unknown; at: number } | undefined;

  /** Runs one request, unless one failed a moment ago. */
  const attempt = async <T>(request: () => Promise<T>): Promise<T> => {
    if (lastFailure && monotonic() - lastFailure.at < backOffMs) throw lastFailure.cause;
    try {
      return await request();
    } catch (cause) {
      lastFailure = { cause, at: monotonic() };
      onFailure(cause);
      throw cause;
    }
  };
  const unreachable = (cause: unknown) =>
    unavailable('the issuer of this token cannot be reached, try again', backOffMs / 1000, cause);

  const fetchKeys = async (url: string): Promise<Response> => {
    try {
      const jwks = await attempt(async () => {
        const fetched = await fetchJson(url);
        // A document that is no key set must not replace one that is.
        createLocalJWKSet(fetched as JSONWebKeySet);
        return fetched;
      });
      lastGood = { jwks, at: monotonic() };
      return Response.json(jwks);
    } catch (cause) {
      if (lastGood && monotonic() - lastGood.at < staleMs) return Response.json(lastGood.jwks);
      throw unreachable(cause);
    }
  };

  let keys: Promise<JWTVerifyGetKey> | undefined;
  const open = async (): Promise<JWTVerifyGetKey> => {
    const url = issuer.jwksUri ?? (await attempt(() => discoverJwksUri(issuer.issuer, fetchJson)));
    return createRemoteJWKSet(new URL(url), { [customFetch]: fetchKeys });
  };
  return async (header, token) => {
    keys ??= open().catch(cause => {
      keys = undefined;
      throw unreachable(cause);
    });
    return (await keys)(header, token);
  };
}
