/*
 * The JWKS of a trusted issuer. jose's createRemoteJWKSet caches and refreshes it; this module discovers its URL, keeps using
 * the last good copy for an hour while the issuer is down, and retries a failing issuer at most every five seconds.
 */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { TrustedIssuer } from '../../config/issuers.ts';
import { unavailable } from '../../core/errors.ts';

/** Fetches a JSON document of a configured issuer. @throws when it cannot be fetched */
export type FetchJson = (url: string) => Promise<unknown>;

/** How long the last good keys are used while the issuer cannot be reached. */
const staleMs = 3_600_000;
/** How long to wait after a failed request. */
const backOffMs = 5000;

/** RFC 8414 section 3.1 puts the well-known segment before the path, OpenID Connect Discovery after it. */
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
      const metadata = (await fetchJson(url)) as { issuer?: unknown; jwks_uri?: unknown };
      if (metadata.issuer !== issuer) throw new Error(`${url} is the metadata of another issuer`);
      if (typeof metadata.jwks_uri !== 'string' || !/^https?:\/\//.test(metadata.jwks_uri))
        throw new Error(`${url} has no jwks_uri`);
      return metadata.jwks_uri;
    } catch (error) {
      firstError ??= error;
    }
  }
  throw firstError;
}

/**
 * The key lookup that `jwtVerify` takes. Keys are fetched again after ten minutes, and for an unknown key at most every 30
 * seconds (jose's defaults).
 * @throws unavailable when the issuer cannot be reached and there is no copy of the last hour
 */
export function createRemoteJwks(options: {
  issuer: Pick<TrustedIssuer, 'issuer' | 'jwksUri'>;
  fetchJson: FetchJson;
  monotonic: () => number;
  /** Called when the keys could not be fetched, at most every five seconds. */
  onFailure: (cause: unknown) => void;
}): JWTVerifyGetKey {
  const { issuer, fetchJson, monotonic, onFailure } = options;
  let lastGood: { jwks: unknown; at: number } | undefined;
  let lastFailure: { cause: unknown; at: number } | undefined;

  /** Runs the request, or fails at once within the back-off time of an earlier failure. */
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
        // Throws if the document is not a JWKS, so that it does not replace the last good one.
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

  let keySet: Promise<JWTVerifyGetKey> | undefined;
  const openKeySet = async (): Promise<JWTVerifyGetKey> => {
    const url = issuer.jwksUri ?? (await attempt(() => discoverJwksUri(issuer.issuer, fetchJson)));
    return createRemoteJWKSet(new URL(url), { [customFetch]: fetchKeys });
  };
  return async (header, token) => {
    keySet ??= openKeySet().catch(cause => {
      keySet = undefined;
      throw unreachable(cause);
    });
    return (await keySet)(header, token);
  };
}
