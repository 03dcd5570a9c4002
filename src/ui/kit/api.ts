/* The client of the REST API. GET requests wait at the rate limit; every other failure throws an ApiError whose message can be shown. */

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

type Sent = {
  body?: unknown;
  signal?: AbortSignal | undefined;
  known?: string | undefined;
};

export const call = async <T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> =>
  (await (await responseTo(method, path, { body, signal })).json()) as T;

async function responseTo(method: Method, path: string, sent: Sent = {}): Promise<Response> {
  for (let waitCount = 0; ; waitCount++) {
    const response = await send(method, path, sent);
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

async function send(method: Method, path: string, { body, signal, known }: Sent): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      headers: {
        ...(body === undefined ? { accept: 'application/json' } : { 'content-type': 'application/json' }),
        ...(known !== undefined && { 'if-none-match': known }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted && !isTimeout(signal.reason)) throw error;
    throw new ApiError(0, "Can't reach Hooktape. Check your connection, and that the server is running.");
  }
}

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
const endpointAt = (endpoint: string): string => `/api/endpoints/${id(endpoint)}`;
const secretAt = (endpoint: string, secret: string): string => `${endpointAt(endpoint)}/secrets/${id(secret)}`;
const eventAt = (event: string): string => `/api/events/${id(event)}`;
const invitationAt = (invitation: string): string => `/api/team/invitations/${id(invitation)}`;

const get = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>('GET', path, undefined, signal);
const remove = (path: string): Promise<Ok> => call<Ok>('DELETE', path);

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

type SchemaKey = Pick<TypeSchema, 'type' | 'platform'>;

/** The type `changes` is written differently, because that path is the list of changes. */
const schemaUrl = (endpoint: string, { type, platform }: SchemaKey, as: SchemaForm): string =>
  `${endpointAt(endpoint)}/schemas/${type === 'changes' ? '%63hanges' : id(type ?? '-')}${search({ platform: platform ?? '-', as })}`;

export const api = {
  session: () => get<SignedIn>('/api/session'),
  /** @returns where the browser also signs out of the provider that it signed in with */
  signOut: () => call<SessionEnded>('DELETE', '/api/session'),
  setUp: (token: string, email: string, password: string | undefined) =>
    call<SetupDone>('POST', '/api/setup', { token, email, password }),

  /** @param known the ETag of an earlier answer @returns no page if it has not changed since */
  async overview(q: string, cursor?: string, known?: string, signal = AbortSignal.timeout(refreshTimeoutMs)) {
    const path = `/api/overview${search({ limit: 100, q, cursor })}`;
    const response = await responseTo('GET', path, { signal, known });
    const page = response.status === 304 ? undefined : ((await response.json()) as Overview);
    return { page, etag: response.headers.get('etag') ?? undefined };
  },
  endpoints: () => get<{ endpoints: Endpoint[] }>('/api/endpoints').then(answer => answer.endpoints),
  createEndpoint: (name: string) => call<Endpoint>('POST', '/api/endpoints', { name }),
  /** In a guard, the secret `[set]` keeps the stored one. */
  changeEndpoint: (endpoint: string, change: EndpointChange) =>
    call<EndpointChanged>('PATCH', endpointAt(endpoint), change),
  deleteEndpoint: (endpoint: string, pinned: boolean) => remove(endpointAt(endpoint) + (pinned ? '?pinned=true' : '')),
  rotateUrl: (endpoint: string, overlap: string) =>
    call<Endpoint>('POST', `${endpointAt(endpoint)}/rotate`, { overlap }),
  endPreviousUrl: (endpoint: string, url: string) => remove(`${endpointAt(endpoint)}/previous-urls/${id(url)}`),
  secrets: (endpoint: string) => get<SecretList>(`${endpointAt(endpoint)}/secrets`),
  addSecret: (endpoint: string, given: SecretInput) => call<Secret>('POST', `${endpointAt(endpoint)}/secrets`, given),
  confirmSecret: (endpoint: string, secret: string) =>
    call<Secret>('POST', `${secretAt(endpoint, secret)}/confirm`, {}),
  changeSecret: (endpoint: string, secret: string, change: SecretChange) =>
    call<Secret>('PATCH', secretAt(endpoint, secret), change),
  deleteSecret: (endpoint: string, secret: string) => remove(secretAt(endpoint, secret)),
  answers: (endpoint: string) => get<AnswerRules>(`${endpointAt(endpoint)}/answers`),
  saveAnswers: (endpoint: string, rules: readonly AnswerRule[]) =>
    call<AnswerRules>('PUT', `${endpointAt(endpoint)}/answers`, { rules }),
  resetAnswers: (endpoint: string) => remove(`${endpointAt(endpoint)}/answers`),
  previewAnswers: (endpoint: string, rules: readonly AnswerRule[], signal: AbortSignal) =>
    call<AnswerPreview>('POST', `${endpointAt(endpoint)}/answers/preview`, { rules, limit: 10 }, signal),
  exportUrl: (
    endpoint: string,
    format: ExportFormat,
    { where, ids = [] }: { where?: string; ids?: readonly string[] },
  ) => `${endpointAt(endpoint)}/export${search({ format, where, ids: ids.join(',') })}`,
  platforms: () => get<{ platforms: PlatformGuide[] }>('/api/platforms').then(answer => answer.platforms),
  sendTestEvent: (endpoint: string, event: TestEventInput) =>
    call<TestEvent>('POST', `${endpointAt(endpoint)}/test-events`, event),
  streamUrl: (endpoint: string, where: string) => `${endpointAt(endpoint)}/stream${search({ changes: 'true', where })}`,
  filters: (endpoint: string) =>
    get<{ filters: SavedFilter[] }>(`${endpointAt(endpoint)}/filters`).then(answer => answer.filters),
  saveFilter: (endpoint: string, name: string, where: string) =>
    call<SavedFilter>('POST', `${endpointAt(endpoint)}/filters`, { name, where }),
  testFilter: (endpoint: string, where: string, limit: number) =>
    call<FilterTestResult>('POST', `${endpointAt(endpoint)}/where/test`, { where, limit }),
  deleteFilter: (endpoint: string, filter: string) => remove(`${endpointAt(endpoint)}/filters/${id(filter)}`),
  schemas: (endpoint: string) =>
    get<{ schemas: TypeSchema[] }>(`${endpointAt(endpoint)}/schemas`).then(answer => answer.schemas),
  schemaChanges: (endpoint: string) =>
    get<{ changes: SchemaChange[] }>(`${endpointAt(endpoint)}/schemas/changes`).then(answer => answer.changes),
  schemaUrl,
  schemaText: (endpoint: string, key: SchemaKey, as: SchemaForm) =>
    responseTo('GET', schemaUrl(endpoint, key, as)).then(response => response.text()),

  events(endpointId: string, cursor: string | undefined, where: string, { limit = 100, isFolded = false } = {}) {
    const group = isFolded ? 'delivery' : undefined;
    return get<EventPage>(`/api/events${search({ endpointId, limit, group, where, cursor })}`);
  },
  event: (event: string, signal?: AbortSignal) => get<EventDetail>(eventAt(event), signal),
  delivery: (endpointId: string, key: string) => get<Delivery>(`/api/deliveries/${id(key)}${search({ endpointId })}`),
  retries: (endpoint: string) => get<RetrySchedule>(`${endpointAt(endpoint)}/retries`),
  countEvents: (endpoint: string, where: string, cursor?: string, signal?: AbortSignal) =>
    get<EventCount>(`${endpointAt(endpoint)}/events/count${search({ where, cursor })}`, signal),
  timeline: (endpoint: string, request: TimelineRequest) =>
    get<Timeline>(`${endpointAt(endpoint)}/timeline${search(request)}`),
  values: (endpoint: string, field: 'type', where: string, limit: number) =>
    get<FieldValues>(`${endpointAt(endpoint)}/values${search({ field, where, limit })}`),
  changes: (endpoint: string, period: Period & { limit: number }) =>
    get<ChangePage>(`${endpointAt(endpoint)}/changes${search(period)}`),
  deleteEvents: (endpoint: string, where: string, pinned: boolean) =>
    call<{ deleted: number }>('POST', `${endpointAt(endpoint)}/events/delete`, { where, pinned }),
  deleteEvent: (event: string) => remove(eventAt(event)),
  pin: (event: string, pin: { name: string | null; note: string | null }) =>
    call<EventSummary>('PUT', `${eventAt(event)}/pin`, pin),
  unpin: (event: string) => remove(`${eventAt(event)}/pin`),
  tag: (event: string, tags: string[]) => call<EventSummary>('PUT', `${eventAt(event)}/tags`, { tags }),
  rawUrl: (event: string) => `${eventAt(event)}/raw`,
  sentBodyUrl: (event: string, replay: string) => `${eventAt(event)}/replays/${id(replay)}/request`,
  bytes: async (path: string) => new Uint8Array(await (await responseTo('GET', path)).arrayBuffer()),
  listeners: (endpoint: string) =>
    get<ListenerList>(`${endpointAt(endpoint)}/listeners`).then(answer => answer.listeners),
  replay: (event: string, request: ReplayRequest) => call<ReplayResult>('POST', `${eventAt(event)}/replay`, request),
  previewReplay: (event: string, request: ReplayRequest) =>
    call<ReplayDryRun>('POST', `${eventAt(event)}/replay`, { ...request, dryRun: true }),
  checkSignature: (event: string, given: SignatureCheckRequest) =>
    call<SignatureExplanation>('POST', `${eventAt(event)}/signature/check`, given),

  keys: () => get<{ keys: ApiKey[] }>('/api/keys').then(answer => answer.keys),
  createKey: (given: ApiKeyInput) => call<CreatedApiKey>('POST', '/api/keys', given),
  revokeKey: (key: string) => remove(`/api/keys/${id(key)}`),
  apps: () => get<{ apps: ConnectedApp[] }>('/api/apps').then(answer => answer.apps),
  revokeApp: (app: string) => remove(`/api/apps/${id(app)}`),
  endSubscription: (app: string, subscription: string) =>
    remove(`/api/apps/${id(app)}/subscriptions/${id(subscription)}`),

  team: () => get<Team>('/api/team'),
  invite: (email: string) => call<Invitation>('POST', '/api/team/invitations', { email }),
  invitations: () =>
    get<{ invitations: PendingInvitation[] }>('/api/team/invitations').then(answer => answer.invitations),
  resendInvitation: (invitation: string) => call<Invitation>('POST', `${invitationAt(invitation)}/resend`, {}),
  withdrawInvitation: (invitation: string) => remove(invitationAt(invitation)),
  removeMember: (member: string) => remove(`/api/team/members/${id(member)}`),
  invitation: (token: string) => get<OpenInvitation>(`/api/invitations/${id(token)}`),
  acceptInvitation: (token: string, password: string | undefined) =>
    call<unknown>('POST', `/api/invitations/${id(token)}`, { password }),
};
