/*
 * The authorization endpoint (OAuth 2.1 section 4.1). The order of the checks is a security property:
 * 1. An invalid client or redirect URI gets an error page and never a redirect.
 * 2. The user signs in. Until then nothing is sent to the client, so that this server is not an open redirector.
 * 3. Other errors go to the client's redirect URI.
 * 4. The user is asked for consent, every time. The request is stored here; the consent form has only a handle to it.
 */

import { hashOf } from '../../core/access/credential-hash.ts';
import type { Clock } from '../../core/clock.ts';
import { newToken, type RandomBytes } from '../../core/ids/ids.ts';
import type { AuthorizationRequestsStore } from './authorization-requests-store.ts';
import { looksLikeMetadataUrl, verifiedHost } from './client-metadata-document.ts';
import type { Clients } from './clients.ts';
import type { ClientRow } from './clients-store.ts';
import type { CodesStore } from './codes-store.ts';
import type { ConsentView } from './consent-page.ts';
import type { GrantsStore } from './grants-store.ts';
import { OAuthError, type RateLimit } from './oauth-error.ts';
import { type ErrorPage, errorPage, type PageOutcome, type SignedInUser } from './page-outcome.ts';
import { isChallenge } from './pkce.ts';
import { isLoopbackRedirect, redirectHost, resolveRedirect, withResponseParameters } from './redirect-uris.ts';
import { type RequestParameters, readParameters } from './request-parameters.ts';
import { effectiveScope, type Resources } from './scopes.ts';

export type AuthorizationOutcome = PageOutcome | { kind: 'consent'; view: ConsentView };

type AuthorizationEndpointOptions = {
  clients: Clients;
  requests: AuthorizationRequestsStore;
  codes: CodesStore;
  grants: GrantsStore;
  resources: Resources;
  issuer: string;
  /** Limits the consent pages that a client address can open. */
  limitAuthorizationRequests: RateLimit;
  allowPrivateUse: boolean;
  clock: Clock;
  random: RandomBytes;
};

const codeMs = 60_000;
const requestMs = 10 * 60_000;
const maxStateBytes = 4096;
/** Open authorization requests. An account keeps its newest ones; all together take a few MB. */
const maxOpenRequests = { perAccount: 20, total: 5000 };
/** Expired requests are deleted every minute. */
const tooManyOpenRetrySeconds = 60;
const maxQueryLength = 16_384;

const tryLaterPage = (reason: string, status: number, retrySeconds: number): ErrorPage =>
  errorPage(reason, status, { 'retry-after': String(retrySeconds) });

type ValidRequest = { state: string | undefined; challenge: string; scope: string; resource: string };
type InvalidRequest = { error: string; description: string };

/** Checks everything but the client id and the redirect URI; errors go to the client by redirect. */
function readRequest(parameters: RequestParameters, resources: Resources): ValidRequest | InvalidRequest {
  const invalid = (error: string, description: string): InvalidRequest => ({ error, description });
  if (parameters.firstRepeated() !== undefined) return invalid('invalid_request', 'a parameter is repeated');
  const state = parameters.get('state');
  if (state !== undefined && Buffer.byteLength(state) > maxStateBytes)
    return invalid('invalid_request', 'state is longer than 4 KB');
  if (parameters.get('request') !== undefined) return invalid('request_not_supported', 'request is not supported');
  if (parameters.get('request_uri') !== undefined)
    return invalid('request_uri_not_supported', 'request_uri is not supported');
  const responseType = parameters.get('response_type');
  if (responseType === undefined) return invalid('invalid_request', 'response_type is missing');
  if (responseType !== 'code') return invalid('unsupported_response_type', 'response_type must be code');
  if ((parameters.get('response_mode') ?? 'query') !== 'query')
    return invalid('invalid_request', 'response_mode must be query');
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined || !isChallenge(challenge))
    return invalid('invalid_request', 'code_challenge must be 43 base64url characters');
  if (parameters.get('code_challenge_method') !== 'S256')
    return invalid('invalid_request', 'code_challenge_method must be S256');
  try {
    const scope = effectiveScope(parameters.get('scope'));
    return { state, challenge, scope, resource: resources.resolve(parameters.all('resource')) };
  } catch (error) {
    if (error instanceof OAuthError) return invalid(error.code, error.message);
    throw error;
  }
}

/** Browsers apply `form-action` to the whole chain of redirects: to the client, and wherever it redirects to. */
function formActionFor(redirectUri: string): string {
  if (redirectUri.startsWith('https:')) return "'self' https:";
  return isLoopbackRedirect(redirectUri) ? "'self' https: http:" : `'self' ${new URL(redirectUri).protocol}`;
}

export function createAuthorizationEndpoint(options: AuthorizationEndpointOptions) {
  const { clients, grants, resources, issuer, allowPrivateUse, clock } = options;

  const redirectToClient = (
    redirectUri: string,
    response: Record<string, string | undefined>,
  ): AuthorizationOutcome => ({
    kind: 'redirect',
    location: withResponseParameters(redirectUri, { ...response, iss: issuer }),
  });
  const findClient = createClientLookup(clients);
  const askForConsent = createConsentRequest(options);

  return {
    /** @param query the raw query string @param clientAddress limits its document fetches and consent pages */
    async authorize(
      query: string,
      user: SignedInUser | undefined,
      clientAddress: string,
    ): Promise<AuthorizationOutcome> {
      if (query.length > maxQueryLength) return errorPage('The request is too long.', 414);
      const parameters = readParameters(query);
      const isPromptNone = parameters.get('prompt')?.split(' ').includes('none') ?? false;
      const signIn = (): AuthorizationOutcome =>
        isPromptNone
          ? errorPage('You are not signed in, and the app asked to continue without showing you a page.')
          : { kind: 'sign_in' };
      const found = await findClient(parameters, user, clientAddress);
      if (found.kind === 'sign_in') return signIn();
      if (found.kind === 'error_page') return found;
      const { client } = found;
      const redirectUri = resolveRedirect(client.redirectUris, parameters.get('redirect_uri'), allowPrivateUse);
      if (redirectUri === undefined)
        return errorPage('The app asked to return to a URL that it has not registered (redirect_uri).');
      if (!user) return signIn();

      const request = readRequest(parameters, resources);
      const state = parameters.isRepeated('state') ? undefined : parameters.get('state');
      if ('error' in request) {
        const isTooLong = state !== undefined && Buffer.byteLength(state) > maxStateBytes;
        const { error, description } = request;
        return redirectToClient(redirectUri, {
          error,
          error_description: description,
          state: isTooLong ? undefined : state,
        });
      }
      if (isPromptNone) {
        if (!(await grants.hasActive(user.accountId, client.id, clock.now())))
          return errorPage('The app is not connected yet, and asked to continue without showing you a page.');
        return redirectToClient(redirectUri, { error: 'interaction_required', state });
      }
      return askForConsent(client, redirectUri, request, user, clientAddress);
    },

    /** Handles the consent form. */
    decide: createConsentDecision(options, redirectToClient),
  };
}

type ClientLookup = ErrorPage | { kind: 'sign_in' } | { kind: 'found'; client: ClientRow };

/** Finds the client of an authorization request. A metadata document is fetched only for a signed-in user. */
function createClientLookup(clients: Clients) {
  const found = (client: ClientRow | undefined): ClientLookup =>
    client ? { kind: 'found', client } : errorPage('This app is not registered with this server.');

  return async (
    parameters: RequestParameters,
    user: SignedInUser | undefined,
    clientAddress: string,
  ): Promise<ClientLookup> => {
    const id = parameters.get('client_id');
    if (parameters.isRepeated('client_id') || parameters.isRepeated('redirect_uri'))
      return errorPage('The app sent an invalid request: client_id or redirect_uri is repeated.');
    if (id === undefined) return errorPage('The app sent an invalid request: client_id is missing.');
    if (!looksLikeMetadataUrl(id)) return found(await clients.find(id));
    if (!clients.isAcceptedUrl(id))
      return errorPage('The app identifies itself by a URL that this server does not accept.');
    if (!user) return { kind: 'sign_in' };
    try {
      return found(await clients.findByDocument(id, clientAddress));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const reason = `The client metadata document of the app cannot be used: ${error.message}.`;
      return errorPage(reason, error.status, error.headers);
    }
  };
}

/** Stores a valid request under a random handle and returns the consent page for it. */
function createConsentRequest(options: AuthorizationEndpointOptions) {
  const { requests, limitAuthorizationRequests, clock, random } = options;
  return async (
    client: ClientRow,
    redirectUri: string,
    { state, challenge, scope, resource }: ValidRequest,
    user: SignedInUser,
    clientAddress: string,
  ): Promise<AuthorizationOutcome> => {
    const waitSeconds = limitAuthorizationRequests(clientAddress);
    if (waitSeconds > 0)
      return tryLaterPage(`Too many connection requests. Try again in ${waitSeconds} s.`, 429, waitSeconds);
    const handle = newToken(random);
    const row = {
      hash: hashOf(handle),
      accountId: user.accountId,
      sessionId: user.sessionId,
      clientId: client.id,
      redirectUri,
      state: state === undefined ? null : Buffer.from(state),
      challenge,
      scope,
      resource,
      expiresAt: clock.now() + requestMs,
    };
    if (!(await requests.insert(row, maxOpenRequests)))
      return tryLaterPage(
        'Too many connection requests are open. Try again in a minute.',
        503,
        tooManyOpenRetrySeconds,
      );
    return {
      kind: 'consent',
      view: {
        appName: client.name,
        verifiedHost: client.kind === 'cimd' ? verifiedHost(client.id) : null,
        redirectHost: redirectHost(redirectUri),
        isLoopback: isLoopbackRedirect(redirectUri),
        email: user.email,
        handle,
        formAction: formActionFor(redirectUri),
      },
    };
  };
}

/** Handles the user's decision: issues a code, or reports `access_denied`. A request is decided once. */
function createConsentDecision(
  { clients, requests, codes, clock, random }: AuthorizationEndpointOptions,
  redirectToClient: (redirectUri: string, response: Record<string, string | undefined>) => AuthorizationOutcome,
) {
  /** @param form the body of the consent form */
  return async (form: RequestParameters, user: SignedInUser | undefined): Promise<AuthorizationOutcome> => {
    const handle = form.get('handle');
    const decision = form.get('decision');
    const expired = errorPage('This connection request has expired, or you have already answered it.');
    if (!user || handle === undefined || form.firstRepeated() !== undefined) return expired;
    if (decision !== 'allow' && decision !== 'deny') return expired;
    const now = clock.now();
    const request = await requests.take(hashOf(handle), user, now);
    if (!request) return expired;
    const { redirectUri, clientId, challenge, scope, resource } = request;
    const state = request.state?.toString();
    if (decision === 'deny') return redirectToClient(redirectUri, { error: 'access_denied', state });
    if (!(await clients.find(clientId))) return errorPage('This app is no longer registered with this server.');
    const code = newToken(random);
    await codes.insert({
      hash: hashOf(code),
      accountId: user.accountId,
      clientId,
      redirectUri,
      challenge,
      scope,
      resource,
      expiresAt: now + codeMs,
    });
    return redirectToClient(redirectUri, { code, state });
  };
}
