/*
 * The authorization endpoint (OAuth 2.1 section 4.1). Order matters: first client and redirect URI, whose faults are shown
 * here and never sent anywhere; then sign-in; only then faults that go back to the client, so that nobody can bounce a
 * stranger through this server; then the question, every time. What is being asked is kept here: the form carries a handle.
 */
import type { Clock } from '../../core/clock.ts';
import { newToken, type RandomBytes } from '../../core/ids.ts';
import { verifiedHost } from './client-metadata-document.ts';
import type { Clients, RateLimit } from './clients.ts';
import type { ClientRow } from './clients-store.ts';
import type { ConsentView } from './consent-page.ts';
import { hashOf } from './credential-hash.ts';
import type { TokensStore } from './grants-store.ts';
import { OAuthError } from './oauth-error.ts';
import { isChallenge } from './pkce.ts';
import { isLoopbackRedirect, redirectHost, resolveRedirect, withResponseParameters } from './redirect-uris.ts';
import { type RequestParameters, readParameters } from './request-parameters.ts';
import { effectiveScope, type Resources } from './scopes.ts';

/** Who is signed in, in the browser that asks. */
export type SignedInUser = { accountId: string; email: string; sessionId: string };

export type AuthorizationOutcome =
  | { kind: 'refused'; reason: string; status: number; headers?: Record<string, string> }
  | { kind: 'sign_in' }
  | { kind: 'redirect'; location: string }
  | { kind: 'consent'; view: ConsentView };

const codeMs = 60_000;
const handleMs = 10 * 60_000;
const maxStateBytes = 4096;
/** Questions that wait for their answer. Of an account the newest count; together they take a few MB at most. */
const maxPending = { perAccount: 20, total: 5000 };
/** Expired questions are swept every minute. */
const fullRetrySeconds = 60;
const maxQueryLength = 16_384;

type Asked = { state: string | undefined; challenge: string; scope: string; resource: string };

const refused = (reason: string, status = 400): AuthorizationOutcome => ({ kind: 'refused', reason, status });
const tryLater = (reason: string, status: number, retrySeconds: number): AuthorizationOutcome => ({
  kind: 'refused',
  reason,
  status,
  headers: { 'retry-after': String(retrySeconds) },
});

/** Faults of the request that its client is told of. @returns error code and description, or what is asked */
function readAsked(
  parameters: RequestParameters,
  resources: Resources,
): Asked | { error: string; description: string } {
  const fault = (error: string, description: string) => ({ error, description });
  const repeated = parameters.firstRepeated();
  if (repeated !== undefined) return fault('invalid_request', 'a parameter is repeated');
  const state = parameters.get('state');
  if (state !== undefined && Buffer.byteLength(state) > maxStateBytes)
    return fault('invalid_request', 'state is longer than 4 KB');
  if (parameters.get('request') !== undefined) return fault('request_not_supported', 'request is not supported');
  if (parameters.get('request_uri') !== undefined)
    return fault('request_uri_not_supported', 'request_uri is not supported');
  const responseType = parameters.get('response_type');
  if (responseType === undefined) return fault('invalid_request', 'response_type is missing');
  if (responseType !== 'code') return fault('unsupported_response_type', 'response_type must be code');
  if ((parameters.get('response_mode') ?? 'query') !== 'query')
    return fault('invalid_request', 'response_mode must be query');
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined || !isChallenge(challenge))
    return fault('invalid_request', 'code_challenge must be 43 base64url characters');
  if (parameters.get('code_challenge_method') !== 'S256')
    return fault('invalid_request', 'code_challenge_method must be S256');
  try {
    const scope = effectiveScope(parameters.get('scope'));
    return { state, challenge, scope, resource: resources.one(parameters.all('resource')) };
  } catch (error) {
    if (error instanceof OAuthError) return fault(error.code, error.message);
    throw error;
  }
}

/** The chain of redirects after the form ends at the client, and the client may send the browser on from there. */
function formActionFor(redirectUri: string): string {
  if (redirectUri.startsWith('https:')) return "'self' https:";
  return isLoopbackRedirect(redirectUri) ? "'self' https: http:" : `'self' ${new URL(redirectUri).protocol}`;
}

export function createAuthorization(options: {
  clients: Clients;
  store: TokensStore;
  resources: Resources;
  issuer: string;
  /** Counts the questions that a client address causes. */
  takeAuthorization: RateLimit;
  allowPrivateUse: boolean;
  clock: Clock;
  random: RandomBytes;
}) {
  const { clients, store, resources, issuer, takeAuthorization, allowPrivateUse, clock, random } = options;

  const answer = (redirectUri: string, parameters: Record<string, string | undefined>): AuthorizationOutcome => ({
    kind: 'redirect',
    location: withResponseParameters(redirectUri, { ...parameters, iss: issuer }),
  });

  const ask = async (
    client: ClientRow,
    redirectUri: string,
    asked: Asked,
    who: SignedInUser,
    ip: string,
  ): Promise<AuthorizationOutcome> => {
    const waitSeconds = takeAuthorization(ip);
    if (waitSeconds > 0)
      return tryLater(`Too many connections were asked for. Try again in ${waitSeconds} s.`, 429, waitSeconds);
    const handle = newToken(random);
    const { state, challenge, scope, resource } = asked;
    const request = {
      hash: hashOf(handle),
      accountId: who.accountId,
      sessionId: who.sessionId,
      clientId: client.id,
      redirectUri,
      state: state === undefined ? null : Buffer.from(state),
      challenge,
      scope,
      resource,
      expiresAt: clock.now() + handleMs,
    };
    if (!(await store.insertRequest(request, maxPending)))
      return tryLater('Too many connections wait for an answer. Try again in a minute.', 503, fullRetrySeconds);
    return {
      kind: 'consent',
      view: {
        appName: client.name,
        verifiedHost: client.kind === 'cimd' ? verifiedHost(client.id) : null,
        redirectHost: redirectHost(redirectUri),
        isLoopback: isLoopbackRedirect(redirectUri),
        email: who.email,
        handle,
        formAction: formActionFor(redirectUri),
      },
    };
  };

  /** The client that the request names, or why there is none. An unknown document is fetched for the signed-in only. */
  const clientOf = async (
    parameters: RequestParameters,
    who: SignedInUser | undefined,
    ip: string,
  ): Promise<ClientRow | AuthorizationOutcome> => {
    const id = parameters.get('client_id');
    if (parameters.isRepeated('client_id') || parameters.isRepeated('redirect_uri'))
      return refused('The request names its app or its return address twice.');
    if (id === undefined) return refused('The request does not say which app it comes from (client_id).');
    if (!clients.isDocumentUrl(id)) return (await clients.find(id)) ?? refused('This app is not registered here.');
    if (!clients.isAcceptedUrl(id)) return refused('The address that the app gives as its id cannot be used.');
    if (!who) return { kind: 'sign_in' };
    try {
      return (await clients.fromDocument(id, ip)) ?? refused('This app is not registered here.');
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const reason = `The app's description could not be used: ${error.message}.`;
      return { kind: 'refused', reason, status: error.status, headers: error.headers };
    }
  };

  return {
    /** @param query the raw query string @param ip who is counted for fetching documents and for questions */
    async start(query: string, who: SignedInUser | undefined, ip: string): Promise<AuthorizationOutcome> {
      if (query.length > maxQueryLength) return refused('The request is too long.', 414);
      const parameters = readParameters(query);
      const isSilent = parameters.get('prompt')?.split(' ').includes('none') ?? false;
      const client = await clientOf(parameters, who, ip);
      const signIn = (): AuthorizationOutcome =>
        isSilent ? refused('You are not signed in, and the app asks not to be asked.') : { kind: 'sign_in' };
      if ('kind' in client && client.kind === 'sign_in') return signIn();
      if (!('redirectUris' in client)) return client;
      const redirectUri = resolveRedirect(client.redirectUris, parameters.get('redirect_uri'), allowPrivateUse);
      if (redirectUri === undefined)
        return refused('The address that the app wants to return to is not one that it registered.');
      if (!who) return signIn();

      const asked = readAsked(parameters, resources);
      const state = parameters.isRepeated('state') ? undefined : parameters.get('state');
      if ('error' in asked) {
        const echoed = state !== undefined && Buffer.byteLength(state) > maxStateBytes ? undefined : state;
        return answer(redirectUri, { error: asked.error, error_description: asked.description, state: echoed });
      }
      if (isSilent) {
        if (!(await store.isConnected(who.accountId, client.id, clock.now())))
          return refused('The app is not connected yet, and asks not to be asked.');
        return answer(redirectUri, { error: 'interaction_required', state });
      }
      return ask(client, redirectUri, asked, who, ip);
    },

    /** What the person answered. @param form the body of the consent form */
    async decide(form: RequestParameters, who: SignedInUser | undefined): Promise<AuthorizationOutcome> {
      const handle = form.get('handle');
      const decision = form.get('decision');
      const stale = refused('This question has expired, or was answered already.');
      if (!who || handle === undefined || form.firstRepeated() !== undefined) return stale;
      if (decision !== 'allow' && decision !== 'deny') return stale;
      const now = clock.now();
      const request = await store.takeRequest(hashOf(handle), who, now);
      if (!request) return stale;
      const { redirectUri, clientId, challenge, scope, resource } = request;
      const state = request.state?.toString();
      if (decision === 'deny') return answer(redirectUri, { error: 'access_denied', state });
      if (!(await clients.find(clientId))) return refused('This app is not registered here any more.');
      const code = newToken(random);
      await store.insertCode({
        hash: hashOf(code),
        accountId: who.accountId,
        clientId,
        redirectUri,
        challenge,
        scope,
        resource,
        expiresAt: now + codeMs,
      });
      return answer(redirectUri, { code, state });
    },
  };
}
