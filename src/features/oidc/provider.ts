/*
 * The OpenID Connect provider: discovery, the authorization request, the exchange of the code, UserInfo. openid-client checks the
 * protocol; it is loaded when it is first used. Beyond its defaults, the signature of the ID token is verified with the provider's keys,
 * and only with algorithms that need no shared secret. The provider is slow, hostile or down until it has answered: each
 * operation ends in time, and an answer is limited in size.
 */
import type { Configuration, ServerMetadata } from 'openid-client';
import type { OidcConfig } from '../../config/oidc.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError, unavailable } from '../../core/errors.ts';
import { isLoopbackOrigin } from '../../core/network/address-classes.ts';
import { readBody } from '../../core/network/response-body.ts';
import { type Claims, isSubject } from './claims.ts';
import type { PendingSignIn } from './pending.ts';

/** Sends one request to the provider, without following redirects. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>;

export type ProvidedIdentity = {
  /** As `new URL(…).href` writes it. */
  issuer: string;
  subject: string;
  idToken: string;
  /** The claims of the ID token. */
  claims: Claims;
  /** The claims of UserInfo; `{}` if the provider has none. @throws unavailable, unauthorized */
  userInfo: () => Promise<Claims>;
};

export type OidcProvider = ReturnType<typeof createOidcProvider>;

/** The algorithms with a key pair of RFC 7518, section 3.1, and of RFC 8037; the provider's metadata may also list `none` and HS256. */
const signatureAlgorithms = ['RS', 'PS', 'ES'].flatMap(kind => [256, 384, 512].map(bits => `${kind}${bits}`));
const idTokenAlgorithms = [...signatureAlgorithms, 'EdDSA', 'Ed25519'];

const refreshMs = 3_600_000;
/** How long to wait after discovery failed. */
const backOffMs = 5000;
const maxAnswerBytes = 256 * 1024;

/** Errors of the token endpoint about this server, not about the person's sign-in. */
const clientErrors = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type']);
const temporaryErrors = new Set(['temporarily_unavailable', 'server_error']);

const load = () => import('openid-client');

export function createOidcProvider(options: {
  config: OidcConfig;
  redirectUri: string;
  /** Where the provider's sign-out ends. */
  signedOutUri: string;
  fetch: ProviderFetch;
  clock: Clock;
  /** How long an operation may take. */
  timeoutMs: number;
  onFailure: (cause: unknown) => void;
}) {
  const { config, redirectUri, signedOutUri, fetch, clock, timeoutMs, onFailure } = options;
  const { issuer, clientId, clientSecret } = config;
  const isHttp = issuer.startsWith('http:');
  let known: { metadata: ServerMetadata; at: number } | undefined;
  let failed: { cause: unknown; at: number } | undefined;
  let asking: Promise<ServerMetadata> | undefined;

  const isDown = (cause: unknown): AppError => unavailable(`${config.name} cannot be reached`, backOffMs / 1000, cause);

  /** Endpoints come from the metadata. The library refuses http unless the issuer is http, which is on loopback. */
  const checkedUrl = (url: string | URL): URL => {
    const { protocol, origin, href } = new URL(url);
    if (protocol !== 'https:' && !(isHttp && protocol === 'http:' && isLoopbackOrigin(origin)))
      throw new Error(`the provider's metadata has an endpoint that is not https: ${origin}`);
    return new URL(href);
  };

  /** Requests of one operation, which end together. `failure`: why the provider gave no usable answer, if it gave none. */
  const openTrip = (signal: AbortSignal) => {
    const trip: { failure: unknown; hasAsked: boolean; fetch: ProviderFetch } = {
      failure: undefined,
      hasAsked: false,
      fetch: async (url, init) => {
        trip.hasAsked = true;
        try {
          const { href, origin, pathname } = checkedUrl(url);
          const response = await fetch(href, { ...init, redirect: 'manual', signal });
          if (response.status >= 500 || response.status === 429)
            throw new Error(`${origin}${pathname} answered with status ${response.status}`);
          return await limited(response);
        } catch (cause) {
          trip.failure ??= cause ?? new Error('the request failed');
          throw cause;
        }
      },
    };
    return trip;
  };
  type Trip = ReturnType<typeof openTrip>;

  const configure = async (metadata: ServerMetadata, trip: Trip): Promise<Configuration> => {
    const library = await load();
    const methods = metadata.token_endpoint_auth_methods_supported;
    const isBasic = methods === undefined || methods.includes('client_secret_basic');
    const secretAuth = isBasic ? library.ClientSecretBasic : library.ClientSecretPost;
    const client = {
      // The library accepts a list, although its types say text.
      id_token_signed_response_alg: idTokenAlgorithms as unknown as string,
      // The library reads the system's clock.
      [library.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
    };
    const auth = clientSecret === undefined ? library.None() : secretAuth(clientSecret);
    const configuration = new library.Configuration(metadata, clientId, client, auth);
    configuration[library.customFetch] = trip.fetch as never;
    configuration.timeout = timeoutMs / 1000;
    library.enableNonRepudiationChecks(configuration);
    if (isHttp) library.allowInsecureRequests(configuration);
    return configuration;
  };

  const discover = async (signal: AbortSignal): Promise<ServerMetadata> => {
    const library = await load();
    try {
      const found = await library.discovery(new URL(issuer), clientId, undefined, undefined, {
        [library.customFetch]: openTrip(signal).fetch as never,
        timeout: timeoutMs / 1000,
        execute: isHttp ? [library.allowInsecureRequests] : [],
      });
      const metadata = found.serverMetadata();
      // Without these no one could sign in; say so now.
      for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
        checkedUrl(metadata[name] ?? '');
      known = { metadata, at: clock.monotonic() };
      return metadata;
    } catch (cause) {
      failed = { cause, at: clock.monotonic() };
      onFailure(cause);
      throw cause;
    }
  };

  /** @throws unavailable */
  const metadataOf = async (signal: AbortSignal): Promise<ServerMetadata> => {
    if (known && clock.monotonic() - known.at < refreshMs) return known.metadata;
    if (failed && clock.monotonic() - failed.at < backOffMs) throw isDown(failed.cause);
    asking ??= discover(signal).finally(() => {
      asking = undefined;
    });
    return asking.catch(cause => {
      throw isDown(cause);
    });
  };

  /** Runs one request of the protocol. @throws unavailable, or unauthorized when the answer proves nothing */
  const attempt = async <T>(trip: Trip, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (cause) {
      const { error, status } = Object(cause) as { error?: unknown; status?: unknown };
      const code = typeof error === 'string' ? error : '';
      // The provider may have other keys or endpoints than it had. Neither a code that is no longer valid nor a callback address that
      // anybody can make up says something about that.
      if (trip.hasAsked && code !== 'invalid_grant') known = undefined;
      onFailure(trip.failure ?? cause);
      if (trip.failure !== undefined || clientErrors.has(code) || temporaryErrors.has(code) || status === 401)
        throw isDown(trip.failure ?? cause);
      throw new AppError('unauthorized', `the sign-in with ${config.name} did not succeed`, { cause });
    }
  };

  const checkClaims = (claims: Claims): void => {
    const { iss, sub, azp } = claims;
    // The library makes exceptions for some providers. A multi-tenant issuer would let in everybody's tenants.
    if (typeof iss !== 'string' || URL.parse(iss)?.href !== issuer)
      throw new Error('the ID token is of another issuer');
    if (!isSubject(sub)) throw new Error('the ID token has no usable sub');
    if (azp !== undefined && azp !== clientId) throw new Error('the ID token was issued to another client');
  };

  return {
    /** @returns the address of the provider's sign-in page, and what its answer is checked with @throws unavailable */
    async begin(): Promise<{ url: string } & Pick<PendingSignIn, 'state' | 'nonce' | 'verifier'>> {
      const signal = AbortSignal.timeout(timeoutMs);
      const library = await load();
      const configuration = await configure(await metadataOf(signal), openTrip(signal));
      const [state, nonce, verifier] = [library.randomState(), library.randomNonce(), library.randomPKCECodeVerifier()];
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: config.scopes,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, state, nonce, verifier };
    },

    /** @param search the query of the callback @throws unavailable, unauthorized */
    async finish(search: string, { state, nonce, verifier }: PendingSignIn): Promise<ProvidedIdentity> {
      const signal = AbortSignal.timeout(timeoutMs);
      const library = await load();
      const trip = openTrip(signal);
      const configuration = await configure(await metadataOf(signal), trip);
      return attempt(trip, async () => {
        // Never the request's own address: the provider compares the redirect URI.
        const tokens = await library.authorizationCodeGrant(configuration, new URL(redirectUri + search), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        const { id_token: idToken, access_token: accessToken } = tokens;
        if (!claims || idToken === undefined) throw new Error('the answer has no ID token');
        checkClaims(claims);
        const subject = claims.sub;
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const userInfo = async (): Promise<Claims> =>
          hasUserInfo ? attempt(trip, () => library.fetchUserInfo(configuration, accessToken, subject)) : {};
        return { issuer, subject, idToken, claims, userInfo: once(userInfo) };
      });
    },

    /** @param idToken empty without one @returns undefined if the provider has no such page @throws unavailable */
    async endSessionUrl(idToken: string, waitMs: number): Promise<string | undefined> {
      const signal = AbortSignal.timeout(Math.min(waitMs, timeoutMs));
      const library = await load();
      const metadata = await metadataOf(signal);
      if (metadata.end_session_endpoint === undefined) return undefined;
      const url = library.buildEndSessionUrl(await configure(metadata, openTrip(signal)), {
        post_logout_redirect_uri: signedOutUri,
        ...(idToken !== '' && { id_token_hint: idToken }),
      });
      return checkedUrl(url).href;
    },
  };
}

/** The response with its body. @throws if the body is too large */
async function limited(response: Response): Promise<Response> {
  const tooLarge = (): Error => new Error(`an answer of more than ${maxAnswerBytes} bytes`);
  const body = await readBody(response, maxAnswerBytes, tooLarge);
  const { status, headers } = response;
  return new Response(body.length === 0 ? null : Uint8Array.from(body), { status, headers });
}

function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= run();
    return result;
  };
}
