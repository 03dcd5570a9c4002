/*
 * The client of the REST API of this origin, authenticated by the session cookie. GET requests wait when they hit the rate limit. Every
 * other failure throws an ApiError whose message can be shown to the user.
 */

import type { AnswerPreview, AnswerRule, AnswerRules } from '../../features/answers/model.ts';
import type { ConnectedApp } from '../../features/apps/model.ts';
import type { ChangePage } from '../../features/changes/model.ts';
import type { Delivery, RetrySchedule } from '../../features/deliveries/model.ts';
import type { Endpoint, EndpointChange, EndpointChanged } from '../../features/endpoints/model.ts';
import type { EventDetail, EventPage, EventSummary } from '../../features/events/model.ts';
import type { ExportFormat } from '../../features/exports/model.ts';
import type { EventCount, FilterTestResult, SavedFilter } from '../../features/filters/model.ts';
import type { ApiKey, ApiKeyInput, CreatedApiKey } from '../../features/keys/model.ts';
import type { ListenerList } from '../../features/listeners/model.ts';
import type { Overview } from '../../features/overview/model.ts';
import type { ReplayDryRun, ReplayRequest, ReplayResult } from '../../features/replays/model.ts';
import type { SchemaChange, SchemaForm, TypeSchema } from '../../features/schemas/model.ts';
import type { Secret, SecretChange, SecretInput, SecretList } from '../../features/secrets/model.ts';
import type { SessionEnded, SignedIn } from '../../features/sessions/model.ts';
import type { SetupDone } from '../../features/setup/model.ts';
import type { SignatureCheckRequest, SignatureExplanation } from '../../features/signatures/model.ts';
import type { Invitation, OpenInvitation, PendingInvitation, Team } from '../../features/teams/model.ts';
import type { PlatformGuide, TestEvent, TestEventInput } from '../../features/test-events/model.ts';
import type { FieldValues, Timeline } from '../../features/timeline/model.ts';
import type { ProblemCode } from '../../shared/problem-codes.ts';

/** What is wrong with one field of the input. `path`: such as `channel.to` or `rules[0].name`; empty for the input as a whole. */
export type InputProblem = { path: string; message: string; code?: ProblemCode };

export class ApiError extends Error {
  readonly status: number;
  readonly retryAfterSeconds: number;
  readonly body: Record<string, unknown>;
  /** As sentences. Of other errors than those about input: none. */
  readonly problems: readonly InputProblem[];

  constructor(status: number, message: string, body: Record<string, unknown> = {}, retryAfterSeconds = 0) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    const problems = (body['problems'] ?? []) as readonly InputProblem[];
    this.problems = problems.map(problem => ({ ...problem, message: toSentence(problem.message) }));
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether a retry can succeed: the server was unreachable, overloaded or restarting. Status 500 is a defect and is not retried. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status > 500);

/** For `catch`: adds what helps to an error with this status. */
export const advise =
  (status: number, advice: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || error.status !== status) throw error;
    throw new ApiError(status, `${error.message} ${advice}`, error.body, error.retryAfterSeconds);
  };

type ApiListeners = {
  /** The session has ended: a call other than signing in was answered with 401. */
  onSignedOut: () => void;
  /** Requests wait this many seconds because of the rate limit; 0 when they continue. */
  onRateLimited: (seconds: number) => void;
  /** A call needs a recent sign-in. @returns whether the user has signed in again, so that the call is repeated */
  onSignInNeeded: () => Promise<boolean>;
};

export const apiListeners: ApiListeners = {
  onSignedOut: () => {},
  onRateLimited: () => {},
  onSignInNeeded: () => Promise.resolve(false),
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** On these paths 401 means wrong credentials or not signed in, not that a session ended. */
const handles401 = /^\/api\/(session|setup)(\/|$)/;
const maxRateLimitWaits = 3;
/** What is refreshed all the time must not look current when the server hangs. */
const refreshTimeoutMs = 20_000;

export const call = async <T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> =>
  (await (await responseTo(method, path, body, signal)).json()) as T;

async function responseTo(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  known?: string,
): Promise<Response> {
  for (let waitCount = 0; ; waitCount++) {
    const response = await send(method, path, body, signal, known);
    if (response.ok || response.status === 304) return response;
    const error = await errorOf(response);
    if (error.status === 401 && !handles401.test(path)) apiListeners.onSignedOut();
    if (error.body['needs'] === 'recent_sign_in' && waitCount === 0 && (await apiListeners.onSignInNeeded())) continue;
    if (error.status !== 429 || method !== 'GET' || waitCount >= maxRateLimitWaits) throw error;
    apiListeners.onRateLimited(error.retryAfterSeconds);
    await new Promise(resolve => setTimeout(resolve, error.retryAfterSeconds * 1000 + 50));
    apiListeners.onRateLimited(0);
  }
}

const send = async (
  method: Method,
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
  known: string | undefined,
): Promise<Response> => {
  try {
    return await fetch(path, {
      method,
      headers: {
        ...(body === undefined ? { accept: 'application/json' } : { 'content-type': 'application/json' }),
        ...(known !== undefined && { 'if-none-match': known }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted && !isTimeout(signal.reason)) throw error;
    throw new ApiError(0, "Can't reach Hooktape. Check your connection, and that the server is running.");
  }
};

const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';

const errorOf = async (response: Response): Promise<ApiError> => {
  const body: Record<string, unknown> = await response.json().catch(() => ({}));
  const retryAfter = Number(response.headers.get('retry-after')) || 1;
  const reason = typeof body['error'] === 'string' ? body['error'] : `The server returned ${response.status}.`;
  const message = response.status === 429 ? `Rate limited. Try again in ${retryAfter} s.` : toSentence(reason);
  return new ApiError(response.status, message, body, retryAfter);
};

/** `name is too long` -> `Name is too long.` An email address at the start keeps its case. */
const toSentence = (text: string): string => {
  const trimmed = text.trim();
  const start = /^\S+@/.test(trimmed) ? trimmed.charAt(0) : trimmed.charAt(0).toUpperCase();
  return start + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? '' : '.');
};

const id = encodeURIComponent;

/** `?a=1&b=2` of what is there; empty without anything. */
export const search = (given: Record<string, string | number | undefined>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== '') query.set(name, `${value}`);
  return query.size > 0 ? `?${query}` : '';
};

/** Without `from` since the oldest event, without `to` until now. */
export type Period = { from?: number | undefined; to?: number | undefined };
export type TimelineRequest = Period & { where: string; buckets: number; cursor?: string };

export type Ok = { ok: boolean };

/** The type `changes` is written differently, because that path is the list of changes. */
const schemaUrl = (endpoint: string, { type, platform }: SchemaKey, as: SchemaForm): string =>
  `/api/endpoints/${id(endpoint)}/schemas/${type === 'changes' ? '%63hanges' : id(type ?? '-')}?platform=${id(platform ?? '-')}&as=${as}`;
type SchemaKey = Pick<TypeSchema, 'type' | 'platform'>;

export const api = {
  session: () => call<SignedIn>('GET', '/api/session'),
  /** @returns where the browser also signs out of the provider that it signed in with */
  signOut: () => call<SessionEnded>('DELETE', '/api/session'),
  setUp: (token: string, email: string, password: string | undefined) =>
    call<SetupDone>('POST', '/api/setup', { token, email, password }),

  /** @param known the ETag of an earlier answer @returns no page if it has not changed since */
  async overview(
    q: string,
    cursor: string | undefined,
    known: string | undefined,
    signal: AbortSignal = AbortSignal.timeout(refreshTimeoutMs),
  ) {
    const path = `/api/overview?limit=100&q=${id(q)}${cursor === undefined ? '' : `&cursor=${id(cursor)}`}`;
    const response = await responseTo('GET', path, undefined, signal, known);
    const page = response.status === 304 ? undefined : ((await response.json()) as Overview);
    return { page, etag: response.headers.get('etag') ?? undefined };
  },
  endpoints: () => call<{ endpoints: Endpoint[] }>('GET', '/api/endpoints').then(answer => answer.endpoints),
  createEndpoint: (name: string) => call<Endpoint>('POST', '/api/endpoints', { name }),
  /** In a guard, the secret `[set]` keeps the stored one. */
  changeEndpoint: (endpoint: string, change: EndpointChange) =>
    call<EndpointChanged>('PATCH', `/api/endpoints/${id(endpoint)}`, change),
  deleteEndpoint: (endpoint: string, pinned: boolean) =>
    call<Ok>('DELETE', `/api/endpoints/${id(endpoint)}${pinned ? '?pinned=true' : ''}`),
  rotateUrl: (endpoint: string, overlap: string) =>
    call<Endpoint>('POST', `/api/endpoints/${id(endpoint)}/rotate`, { overlap }),
  endPreviousUrl: (endpoint: string, url: string) =>
    call<Ok>('DELETE', `/api/endpoints/${id(endpoint)}/previous-urls/${id(url)}`),
  secrets: (endpoint: string) => call<SecretList>('GET', `/api/endpoints/${id(endpoint)}/secrets`),
  addSecret: (endpoint: string, given: SecretInput) =>
    call<Secret>('POST', `/api/endpoints/${id(endpoint)}/secrets`, given),
  confirmSecret: (endpoint: string, secret: string) =>
    call<Secret>('POST', `/api/endpoints/${id(endpoint)}/secrets/${id(secret)}/confirm`, {}),
  changeSecret: (endpoint: string, secret: string, change: SecretChange) =>
    call<Secret>('PATCH', `/api/endpoints/${id(endpoint)}/secrets/${id(secret)}`, change),
  deleteSecret: (endpoint: string, secret: string) =>
    call<Ok>('DELETE', `/api/endpoints/${id(endpoint)}/secrets/${id(secret)}`),
  answers: (endpoint: string) => call<AnswerRules>('GET', `/api/endpoints/${id(endpoint)}/answers`),
  saveAnswers: (endpoint: string, rules: readonly AnswerRule[]) =>
    call<AnswerRules>('PUT', `/api/endpoints/${id(endpoint)}/answers`, { rules }),
  resetAnswers: (endpoint: string) => call<Ok>('DELETE', `/api/endpoints/${id(endpoint)}/answers`),
  previewAnswers: (endpoint: string, rules: readonly AnswerRule[], signal: AbortSignal) =>
    call<AnswerPreview>('POST', `/api/endpoints/${id(endpoint)}/answers/preview`, { rules, limit: 10 }, signal),
  exportUrl: (
    endpoint: string,
    format: ExportFormat,
    { where = '', ids = [] }: { where?: string; ids?: readonly string[] },
  ) =>
    `/api/endpoints/${id(endpoint)}/export?format=${format}${where ? `&where=${id(where)}` : ''}${ids.length > 0 ? `&ids=${ids.join(',')}` : ''}`,
  platforms: () => call<{ platforms: PlatformGuide[] }>('GET', '/api/platforms').then(answer => answer.platforms),
  sendTestEvent: (endpoint: string, event: TestEventInput) =>
    call<TestEvent>('POST', `/api/endpoints/${id(endpoint)}/test-events`, event),
  streamUrl: (endpoint: string, where: string) =>
    `/api/endpoints/${id(endpoint)}/stream?changes=true${where ? `&where=${id(where)}` : ''}`,
  filters: (endpoint: string) =>
    call<{ filters: SavedFilter[] }>('GET', `/api/endpoints/${id(endpoint)}/filters`).then(answer => answer.filters),
  saveFilter: (endpoint: string, name: string, where: string) =>
    call<SavedFilter>('POST', `/api/endpoints/${id(endpoint)}/filters`, { name, where }),
  testFilter: (endpoint: string, where: string, limit: number) =>
    call<FilterTestResult>('POST', `/api/endpoints/${id(endpoint)}/where/test`, { where, limit }),
  deleteFilter: (endpoint: string, filter: string) =>
    call<Ok>('DELETE', `/api/endpoints/${id(endpoint)}/filters/${id(filter)}`),
  schemas: (endpoint: string) =>
    call<{ schemas: TypeSchema[] }>('GET', `/api/endpoints/${id(endpoint)}/schemas`).then(answer => answer.schemas),
  schemaChanges: (endpoint: string) =>
    call<{ changes: SchemaChange[] }>('GET', `/api/endpoints/${id(endpoint)}/schemas/changes`).then(
      answer => answer.changes,
    ),
  schemaUrl,
  schemaText: (endpoint: string, key: SchemaKey, as: SchemaForm) =>
    responseTo('GET', schemaUrl(endpoint, key, as)).then(response => response.text()),

  events: (endpoint: string, cursor: string | undefined, where: string, { limit = 100, isFolded = false } = {}) =>
    call<EventPage>(
      'GET',
      `/api/events?endpointId=${id(endpoint)}&limit=${limit}${isFolded ? '&group=delivery' : ''}${where ? `&where=${id(where)}` : ''}${cursor ? `&cursor=${id(cursor)}` : ''}`,
    ),
  event: (event: string, signal?: AbortSignal) =>
    call<EventDetail>('GET', `/api/events/${id(event)}`, undefined, signal),
  delivery: (endpoint: string, key: string) =>
    call<Delivery>('GET', `/api/deliveries/${id(key)}?endpointId=${id(endpoint)}`),
  retries: (endpoint: string) => call<RetrySchedule>('GET', `/api/endpoints/${id(endpoint)}/retries`),
  countEvents: (endpoint: string, where: string, cursor: string | undefined, signal: AbortSignal) =>
    call<EventCount>(
      'GET',
      `/api/endpoints/${id(endpoint)}/events/count?where=${id(where)}${cursor ? `&cursor=${id(cursor)}` : ''}`,
      undefined,
      signal,
    ),
  timeline: (endpoint: string, request: TimelineRequest) =>
    call<Timeline>('GET', `/api/endpoints/${id(endpoint)}/timeline${search(request)}`),
  values: (endpoint: string, field: 'type', where: string, limit: number) =>
    call<FieldValues>('GET', `/api/endpoints/${id(endpoint)}/values${search({ field, where, limit })}`),
  changes: (endpoint: string, period: Period & { limit: number }) =>
    call<ChangePage>('GET', `/api/endpoints/${id(endpoint)}/changes${search(period)}`),
  deleteEvents: (endpoint: string, where: string, pinned: boolean) =>
    call<{ deleted: number }>('POST', `/api/endpoints/${id(endpoint)}/events/delete`, { where, pinned }),
  deleteEvent: (event: string) => call<Ok>('DELETE', `/api/events/${id(event)}`),
  pin: (event: string, pin: { name: string | null; note: string | null }) =>
    call<EventSummary>('PUT', `/api/events/${id(event)}/pin`, pin),
  unpin: (event: string) => call<Ok>('DELETE', `/api/events/${id(event)}/pin`),
  tag: (event: string, tags: string[]) => call<EventSummary>('PUT', `/api/events/${id(event)}/tags`, { tags }),
  rawUrl: (event: string) => `/api/events/${id(event)}/raw`,
  sentBodyUrl: (event: string, replay: string) => `/api/events/${id(event)}/replays/${id(replay)}/request`,
  bytes: (path: string) =>
    responseTo('GET', path)
      .then(response => response.arrayBuffer())
      .then(buffer => new Uint8Array(buffer)),
  listeners: (endpoint: string) =>
    call<ListenerList>('GET', `/api/endpoints/${id(endpoint)}/listeners`).then(answer => answer.listeners),
  replay: (event: string, request: ReplayRequest) =>
    call<ReplayResult>('POST', `/api/events/${id(event)}/replay`, request),
  previewReplay: (event: string, request: ReplayRequest) =>
    call<ReplayDryRun>('POST', `/api/events/${id(event)}/replay`, { ...request, dryRun: true }),
  checkSignature: (event: string, given: SignatureCheckRequest) =>
    call<SignatureExplanation>('POST', `/api/events/${id(event)}/signature/check`, given),

  keys: () => call<{ keys: ApiKey[] }>('GET', '/api/keys').then(answer => answer.keys),
  createKey: (given: ApiKeyInput) => call<CreatedApiKey>('POST', '/api/keys', given),
  revokeKey: (key: string) => call<Ok>('DELETE', `/api/keys/${id(key)}`),
  apps: () => call<{ apps: ConnectedApp[] }>('GET', '/api/apps').then(answer => answer.apps),
  revokeApp: (app: string) => call<Ok>('DELETE', `/api/apps/${id(app)}`),
  endSubscription: (app: string, subscription: string) =>
    call<Ok>('DELETE', `/api/apps/${id(app)}/subscriptions/${id(subscription)}`),

  team: () => call<Team>('GET', '/api/team'),
  invite: (email: string) => call<Invitation>('POST', '/api/team/invitations', { email }),
  invitations: () =>
    call<{ invitations: PendingInvitation[] }>('GET', '/api/team/invitations').then(answer => answer.invitations),
  resendInvitation: (invitation: string) =>
    call<Invitation>('POST', `/api/team/invitations/${id(invitation)}/resend`, {}),
  withdrawInvitation: (invitation: string) => call<Ok>('DELETE', `/api/team/invitations/${id(invitation)}`),
  removeMember: (member: string) => call<Ok>('DELETE', `/api/team/members/${id(member)}`),
  invitation: (token: string) => call<OpenInvitation>('GET', `/api/invitations/${id(token)}`),
  acceptInvitation: (token: string, password: string | undefined) =>
    call<unknown>('POST', `/api/invitations/${id(token)}`, { password }),
};
