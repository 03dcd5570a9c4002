/*
 * Replays stored events. Every attempt is recorded, with the account that made it, before the caller gets the result, even if the
 * caller disconnects. A refused destination and a dry run are not attempts. Other machines report their attempts here.
 */
import { requireUser } from '../../core/access/permissions.ts';
import type { MemberAccess, Principal, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import type { CreateSlices } from '../../core/concurrency/time-slices.ts';
import { decodeBody, encodeBody } from '../../core/encoding/body-encoding.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import { inField, invalid, invalidAt, tooManyAtOnce, unreachable } from '../../core/errors.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { replayPreviewCharacters } from '../../core/limits.ts';
import { isSuccess, readDestination, refusedDestination } from '../../core/network/destination.ts';
import { keepRequest } from '../../core/replay/kept-request.ts';
import { isEdit } from '../../core/replay/replay-edit.ts';
import { replayNote } from '../../core/replay/replay-note.ts';
import type { ReplayVia } from '../../core/replay/replay-via.ts';
import { hideIn } from '../../core/secrets/hidden-text.ts';
import { decodeUtf8Leniently, firstCharacters } from '../../core/text.ts';
import type { Outbound, OutboundResult } from '../../net/outbound.ts';
import type { StoredEvent } from '../events/reading.ts';
import type { ReplayToListener } from '../listeners/connections.ts';
import type { SentAnswer } from '../replay-jobs/work.ts';
import type { ForwardAttemptOptions } from './forward-attempt.ts';
import { type KeptResponse, keepResponse, shownHeaders } from './kept-response.ts';
import type { ReplayDryRun, ReplayRequest, ReplayResult, ReportedAttempts } from './model.ts';
import type { PreparedRequest, PrepareRequest } from './prepare.ts';
import type { Attempt, ReplaysStore } from './store.ts';

export type ReplaysService = ReturnType<typeof createReplaysService>;

/** The caller of a replay. An app may send events only as they were captured. */
type Replayer = MemberAccess & Pick<Principal, 'app'>;

/** A replay that was sent: the response, if there was one, and the URL. */
type Transmitted = Exclude<OutboundResult, { kind: 'refused' }> & { destination: string };

export type SendToListener = (
  to: { endpoint: number; name: string },
  request: ReplayToListener,
  limits: { timeoutMs: number; signal: AbortSignal },
) => Promise<
  | (Exclude<OutboundResult, { kind: 'refused' }> & { destination: string | null })
  /** Nothing was sent. */
  | { kind: 'absent' }
>;

type Reported = ReportedAttempts['attempts'][number];

const maxConcurrentReplays = 10;

export function createReplaysService(options: {
  store: ReplaysStore;
  /** Runs the work with the event in memory, within the budget for large events. */
  withStored: ForwardAttemptOptions['withStored'];
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number }>;
  prepare: PrepareRequest;
  send: Outbound['send'];
  /** Sends to a connected listener of an endpoint. @throws rate_limited when too many wait for it */
  sendToListener: SendToListener;
  /** Whether a stored verdict is that the event came without a signature. */
  isUnsigned: (verdict: string | null) => boolean;
  clock: Clock;
  createSlices: CreateSlices;
  /** From name resolution to the last byte. */
  timeoutMs: number;
  /** Called for every recorded attempt. `failed` if there was no response. */
  onAttempt?: (result: 'ok' | 'not_ok' | 'failed') => void;
}) {
  const { store, withStored, endpoint: findEndpoint, prepare, isUnsigned, clock, createSlices, onAttempt } = options;
  const semaphore = createSemaphore(maxConcurrentReplays);
  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  const transmit = createTransmit(options);

  /** Sends it once. @returns the result, and the attempt to record @throws as `transmit` */
  const sendOnce = async (
    { accountId }: MemberAccess,
    event: StoredEvent,
    request: PreparedRequest,
    {
      via,
      listener,
      edit,
      signal = stopping.signal,
    }: { via: ReplayVia; signal?: AbortSignal } & Pick<ReplayRequest, 'listener' | 'edit'>,
  ): Promise<{ outcome: Transmitted; attempt: Attempt }> => {
    const { isSigned, isEdited, hidden } = request;
    const outcome = await transmit(event, request, listener, signal);
    const { durationMs, destination } = outcome;
    const status = outcome.kind === 'answered' ? outcome.status : null;
    const ok = isSuccess(status);
    onAttempt?.(ok ? 'ok' : status === null ? 'failed' : 'not_ok');
    const response =
      outcome.kind === 'answered' ? toStored(keepResponse({ ...outcome, body: outcome.preview }, hidden)) : null;
    const how = { via, signed: isSigned, edited: isEdited };
    const kept =
      listener === undefined ? await keepRequest(event, request, { edit, yieldIfDue: createSlices() }) : null;
    return {
      outcome,
      attempt: {
        accountId,
        destination,
        status,
        ok,
        durationMs,
        createdAt: clock.now(),
        ...how,
        response,
        request: kept,
      },
    };
  };

  const sendAndRecord = async (
    replayer: Replayer,
    event: StoredEvent,
    request: PreparedRequest,
    how: { via: ReplayVia } & Pick<ReplayRequest, 'listener' | 'edit'>,
  ): Promise<ReplayResult> => {
    const { outcome, attempt: sent } = await sendOnce(replayer, event, request, how);
    await store.insert(event.row.seq, sent);
    if (outcome.kind === 'unreachable')
      throw unreachable(
        how.listener === undefined ? `the destination could not be reached: ${outcome.reason}` : outcome.reason,
      );
    const responsePreview = firstCharacters(
      decodeUtf8Leniently(hideIn(outcome.preview, request.hidden)),
      replayPreviewCharacters,
    );
    const { status, durationMs } = outcome;
    const note = replayNote(
      { redacted: event.row.redacted, isUnsigned: isUnsigned(event.row.verdict) },
      { signed: request.isSigned, edited: request.isEdited },
    );
    return { ok: isSuccess(status), status, durationMs, responsePreview, note };
  };

  /** Limits the concurrent replays of an account. */
  const run = async <T>({ accountId }: Replayer, replay: () => Promise<T>): Promise<T> => {
    const release = semaphore.tryAcquire(accountId);
    if (!release) throw tooManyAtOnce(maxConcurrentReplays, 'replays');
    try {
      const work = replay();
      running.add(work);
      return await work.finally(() => running.delete(work));
    } finally {
      release();
    }
  };

  return {
    /**
     * @throws invalid for the destination, for an edit or if it cannot be signed, forbidden if it may not be signed, rate_limited
     * if the account has too many replays running, not_found for the event or the secret, unreachable if there was no response.
     * Apps cannot send to listeners. @param signal when the caller disconnects before the event is read, nothing is sent
     */
    async replay(
      principal: Replayer,
      id: string,
      { via, ...request }: ReplayRequest & { via: ReplayVia },
      signal?: AbortSignal,
    ): Promise<ReplayResult | ReplayDryRun> {
      const { sign, edit, listener } = request;
      if (listener !== undefined || (sign && sign.mode !== 'none') || (edit && isEdit(edit))) requireUser(principal);
      checkSign(sign);
      const url = destinationOf(request);
      const use = async (event: StoredEvent): Promise<ReplayResult | ReplayDryRun> => {
        const prepared = prepare(principal, event, { ...request, url });
        if (request.dryRun) return toDryRun(prepared);
        // Agents may not use the destination of a listener.
        return sendAndRecord(principal, event, prepared, {
          via: listener === undefined ? via : 'listen',
          ...(listener !== undefined && { listener }),
          ...(edit && { edit }),
        });
      };
      return run(principal, () => withStored(principal, id, use, signal));
    },

    /**
     * For replay jobs: an attempt at each URL. @returns their responses in the same order, rejected with `invalid` for a URL that
     * is not allowed. Credentials that a destination echoes are hidden in them. The caller has to write `recorded`, in the
     * transaction of the result of the event. @throws as a forward's attempt, when nothing was sent
     */
    attemptsInJob: (
      principal: MemberAccess,
      id: string,
      { urls, sign, signal }: { urls: readonly string[]; sign: ReplayRequest['sign'] | undefined; signal: AbortSignal },
    ): Promise<PromiseSettledResult<SentAnswer>[]> =>
      withStored(
        // Takes memory from the team's share, so that a job does not use up what the person needs for reading events.
        { ...principal, accountId: principal.teamId },
        id,
        event => {
          const prepared = urls.map(url => prepare({ app: undefined }, event, { url, ...(sign && { sign }) }));
          const send = async (request: PreparedRequest): Promise<SentAnswer> => {
            const sentAt = clock.now();
            const { outcome, attempt } = await sendOnce(principal, event, request, { via: 'job', signal });
            const recorded = store.recordStatements(event.row.seq, attempt);
            const sent = { recorded, sentAt, durationMs: outcome.durationMs };
            if (outcome.kind === 'unreachable') return { kind: 'failed', reason: outcome.reason, ...sent };
            const { status, headers, preview } = outcome;
            const { hidden } = request;
            const shown = { headers: shownHeaders(headers, hidden), body: hideIn(preview, hidden) };
            return { kind: 'answered', status, ...shown, ...sent };
          };
          return Promise.allSettled(prepared.map(send));
        },
        signal,
      ),

    /** For agents: nothing is edited or signed. @throws as `replay` */
    replayAsCaptured: (principal: Replayer, id: string, givenUrl: string): Promise<ReplayResult> =>
      run(principal, async () => {
        const url = inField(['url'], () => readDestination(givenUrl));
        return withStored(principal, id, event =>
          sendAndRecord(principal, event, prepare(principal, event, { url }), { via: 'mcp' }),
        );
      }),

    /**
     * Records what a listener has sent. Attempts for removed events, or for events of another endpoint, are skipped, so that they
     * cannot block the rest.
     * @returns how many were recorded
     * @throws not_found for the endpoint
     */
    async report(principal: Replayer, endpointId: string, attempts: readonly Reported[]): Promise<number> {
      requireUser(principal);
      const { seq: endpoint } = await findEndpoint(principal, endpointId);
      const createdAt = clock.now();
      const known = attempts.flatMap(one => {
        const { eventId, destination, status, durationMs, signed = false, edited = false, response } = one;
        const event = parseEventId(eventId);
        const attempt = {
          accountId: principal.accountId,
          destination: inField(['destination'], () => readDestination(destination)),
          status,
          ok: isSuccess(status),
          durationMs,
          createdAt,
          via: 'listen' as const,
          signed,
          edited,
          response: response ? keepReported(response) : null,
        };
        return event ? [{ event: { endpoint, ...event }, attempt }] : [];
      });
      return store.insertAll(known);
    },

    /** Aborts running replays and waits until they are recorded. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
}

/** @throws invalid */
const keepReported = (response: NonNullable<Reported['response']>): Buffer =>
  toStored(keepResponse({ ...response, body: decodeBody(response.body, response.bodyEncoding, 'response.body') }));

const toStored = (response: KeptResponse): Buffer => Buffer.from(JSON.stringify(response), 'utf8');

/** @returns undefined for a listener @throws invalid */
function destinationOf({ url, listener, appendPath }: ReplayRequest): string | undefined {
  if ((url === undefined) === (listener === undefined)) throw invalid('give either url or listener');
  if (listener !== undefined && appendPath)
    throw invalidAt(
      ['appendPath'],
      'goes with url: whether path and query are appended, the listener decides (--path keep)',
    );
  return url === undefined ? undefined : inField(['url'], () => readDestination(url));
}

function checkSign(sign: ReplayRequest['sign']): void {
  if (!sign) return;
  const { mode, ...options } = sign;
  if (mode === 'none' && Object.keys(options).length > 0)
    throw invalidAt(['sign', 'mode'], '"none" takes no other options');
  if (options.secret !== undefined && options.secretId !== undefined)
    throw invalidAt(
      ['sign', 'secretId'],
      'give secret or secretId, not both',
      'give sign.secret or sign.secretId, not both',
    );
}

function toDryRun({ method, url, headers, body }: PreparedRequest): ReplayDryRun {
  return { dryRun: true, method, url, headers: headers.map(([name, value]) => [name, value]), ...encodeBody(body) };
}

/** The returned function throws invalid for a refused destination, and unreachable if there is no such listener. */
function createTransmit(options: { send: Outbound['send']; sendToListener: SendToListener; timeoutMs: number }) {
  const { send, sendToListener, timeoutMs } = options;
  return async (
    { row }: StoredEvent,
    { url, method, headers, body, isSigned, isEdited }: PreparedRequest,
    listener: string | undefined,
    signal: AbortSignal,
  ): Promise<Transmitted> => {
    const limits = { timeoutMs, signal };
    if (listener === undefined) {
      const outcome = await send({ url, method, headers, body, ...limits });
      if (outcome.kind === 'refused') throw refusedDestination('url', outcome.reason, outcome.reason);
      return { ...outcome, destination: url };
    }
    const query = row.query && latin1(row.query);
    const request = { seq: row.seq, query, method, headers, body, isSigned, isEdited };
    const outcome = await sendToListener({ endpoint: row.endpoint, name: listener }, request, limits);
    if (outcome.kind === 'absent') throw unreachable('no listener of this name is connected to the endpoint');
    return { ...outcome, destination: outcome.destination ?? url };
  };
}
