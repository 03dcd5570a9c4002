/*
 * Works on the items of a replay job: sends the event, compares the responses if there are two destinations, and slows down if a
 * destination cannot keep up. Every attempt is recorded among the event's replays.
 */
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { InStatement } from '@libsql/client';
import type { Clock } from '../../core/clock.ts';
import { encodeBody } from '../../core/encoding/body-encoding.ts';
import { AppError, isShortOfMemory } from '../../core/errors.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { eventId } from '../../core/ids/ids.ts';
import { isSuccess } from '../../core/network/destination.ts';
import { retryAfterMs } from '../../core/network/retry-after.ts';
import type { QueueItem, QueueWork, WorkResult } from '../queues/queue.ts';
import { compareAnswers, type Difference } from './answer-comparison.ts';
import { createPaceControl, readPace } from './pace.ts';
import type { JobRow, ReplayJobsStore } from './store.ts';

/** The response to an attempt, with credentials hidden. `recorded`: statements that record it among the event's replays. */
export type SentAnswer = { recorded: InStatement[]; sentAt: number; durationMs: number } & (
  | { kind: 'answered'; status: number; headers: HeaderPair[]; body: Uint8Array }
  | { kind: 'failed'; reason: string }
);

/**
 * The result of a job's item, besides its status. `sentAt`, `durationMs`: of the request to the first destination; missing in
 * results of earlier versions.
 */
export type ItemDetail = {
  status2: number | null;
  differences: Difference[];
  sentAt?: number | undefined;
  durationMs?: number | undefined;
};

/**
 * Sends one event to each destination. @returns their responses in that order; AppError for a destination that is not allowed
 * @throws AppError when nothing was sent, because the event no longer exists, may not be signed, or needs memory that is in use
 */
export type JobSender = (
  job: JobRow & { plan: 'free' | 'pro' },
  id: string,
  destinations: readonly string[],
  signal: AbortSignal,
) => Promise<PromiseSettledResult<SentAnswer>[]>;

const answersKeptMs = 7 * 24 * 3_600_000;
/** The queues support no later time. */
const maxRetryAfterMs = 24 * 3_600_000;
const longestTimesInRow = 1000;
const memoryMs = 2000;
/** A timer supports at most 2^31 ms. */
const maxSleepMs = 60_000;

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value), 'utf8');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

export type JobWorkOptions = {
  store: Pick<ReplayJobsStore, 'wasAccepted' | 'keepAnswersStatement' | 'write'>;
  /** Sends the event as it was captured, or re-signed. @throws AppError when it is gone or may not be sent */
  send: JobSender;
  clock: Clock;
  /** Called after `stopAfter` events have failed. */
  onTooManyFailures: (id: string) => Promise<void>;
  onItem: ((outcome: string) => void) | undefined;
};

export function createJobWork(
  job: JobRow & { plan: 'free' | 'pro' },
  failedBefore: number,
  { store, send, clock, onTooManyFailures, onItem }: JobWorkOptions,
): QueueWork {
  const dest = text(job.dest);
  const destinations = job.dest2 ? [dest, text(job.dest2)] : [dest];
  const comparing = {
    ignore: JSON.parse(text(job.ignored)) as string[],
    headerNames: JSON.parse(text(job.compared)) as string[],
  };
  const isOriginal = job.pace?.startsWith('original') ?? false;
  const pace = createPaceControl(readPace(job.pace ?? undefined), clock.monotonic);
  const receivedAt = ({ detail }: QueueItem): number | undefined =>
    isOriginal && detail ? Number(text(detail)) || undefined : undefined;
  let failed = failedBefore;
  let isStopped = false;

  /** A 429 or 503 with Retry-After does not depend on the event. */
  const askedToWait = (answers: readonly SentAnswer[]): { status: number; inMs: number } | undefined => {
    for (const answer of answers) {
      if (answer.kind !== 'answered' || (answer.status !== 429 && answer.status !== 503)) continue;
      const inMs = retryAfterMs(answer.headers, clock.now());
      if (inMs !== undefined) return { status: answer.status, inMs: Math.min(inMs, maxRetryAfterMs) };
    }
    return undefined;
  };

  const settle = (item: QueueItem, left: SentAnswer, right: SentAnswer | undefined): WorkResult => {
    const status = left.kind === 'answered' ? left.status : null;
    const failure = [left, right].find(one => one?.kind === 'failed');
    const error = failure?.kind === 'failed' ? failure.reason : null;
    const status2 = right?.kind === 'answered' ? right.status : null;
    const { sentAt, durationMs } = left;
    const toDetail = (differences: Difference[]) =>
      encode({ status2, differences, sentAt, durationMs } satisfies ItemDetail);
    if (left.kind === 'failed' || right?.kind === 'failed')
      return { kind: 'settled', outcome: 'failed', status, error, detail: toDetail([]) };
    if (!right)
      return { kind: 'settled', outcome: isSuccess(status) ? 'ok' : 'failed', status, error, detail: toDetail([]) };
    const differences = compareAnswers(left, right, comparing);
    const detail = toDetail(differences);
    if (differences.length === 0) return { kind: 'settled', outcome: 'same', status, error, detail };
    const answers = gzipSync(encode({ left: toKept(left), right: toKept(right) }));
    const also = [store.keepAnswersStatement(item.seq, answers, clock.now() + answersKeptMs)];
    return { kind: 'settled', outcome: 'different', status, error, detail, also };
  };

  const work = async (item: QueueItem, signal: AbortSignal): Promise<WorkResult> => {
    const { event } = item;
    if (!event) return skipped('the event is gone');
    const id = eventId(event.seq, event.nonce);
    if (job.skipOk && (await store.wasAccepted(event.seq, dest)))
      return skipped('the destination has accepted it before');
    // Other requests may have started during the lookup.
    for (let ms = pace.startInMs(receivedAt(item)); ms > 0; ms = pace.startInMs(receivedAt(item))) {
      await sleep(ms, signal);
      if (signal.aborted) return { kind: 'interrupted' };
    }
    const startedMs = pace.started(receivedAt(item));
    let sent: PromiseSettledResult<SentAnswer>[];
    try {
      sent = await send(job, id, destinations, signal);
    } catch (error) {
      if (signal.aborted) return { kind: 'interrupted' };
      if (!(error instanceof AppError)) throw error;
      if (isShortOfMemory(error)) return { kind: 'retry', inMs: memoryMs, status: null, error: error.message };
      return notSent(error);
    } finally {
      pace.ended();
    }
    const answers = sent.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    const also = answers.flatMap(({ recorded }) => recorded);
    const errors = sent.flatMap(one => (one.status === 'rejected' ? [one.reason as unknown] : []));
    const [left, right] = answers;
    const isCutOff = errors.length > 0 || answers.some(({ kind }) => kind === 'failed');
    if (signal.aborted && isCutOff) return { kind: 'interrupted', also };
    const unexpected = errors.find(error => !(error instanceof AppError));
    if (unexpected) {
      // The other destination has received the event.
      await store.write(also);
      throw unexpected;
    }
    for (const one of answers) pace.answered(paceResult(one), startedMs);
    const [refusal] = errors;
    if (refusal instanceof AppError) return { ...notSent(refusal, sent), also };
    if (!left) throw new Error('nothing was sent');
    const wait = item.attempts < longestTimesInRow ? askedToWait(answers) : undefined;
    if (wait)
      return { kind: 'retry', inMs: wait.inMs, status: wait.status, error: 'the destination asked to wait', also };
    const result = settle(item, left, right);
    return { ...result, also: [...also, ...(result.also ?? [])] };
  };

  return {
    concurrency: () => (isStopped ? 0 : job.concurrency),
    destination: () => `${job.teamId} ${new URL(dest).origin}`,
    startInMs: item => pace.startInMs(receivedAt(item)),
    work,
    giveUp: (_, reason) => refused(reason),
    // The next process sends the event again; this attempt is recorded even so.
    onLost: async (_, result) => void (result.also && (await store.write(result.also))),
    onWritten: (_, result) => {
      if (result.kind === 'settled') onItem?.(result.outcome);
      else if (result.kind === 'retry') onItem?.('again');
      if (result.kind !== 'settled' || result.outcome !== 'failed') return;
      failed++;
      if (job.stopAfter === null || failed - job.failedAtResume < job.stopAfter || isStopped) return;
      isStopped = true;
      // If it cannot be paused now, the next failure tries again.
      onTooManyFailures(job.id).catch(() => {
        isStopped = false;
      });
    },
  };
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(Math.min(ms, maxSleepMs), undefined, { signal, ref: false }).catch(() => {});

const noDetail: ItemDetail = { status2: null, differences: [] };

const skipped = (reason: string): WorkResult => ({
  kind: 'settled',
  outcome: 'skipped',
  status: null,
  error: reason,
  detail: encode(noDetail),
});
/** @param sent what was sent to the destinations, in their order */
function refused(reason: string, sent: readonly PromiseSettledResult<SentAnswer>[] = []): WorkResult {
  const [left, right] = sent.map(one => (one.status === 'fulfilled' ? one.value : undefined));
  const { sentAt, durationMs } = left ?? {};
  const detail: ItemDetail = { status2: statusOf(right), differences: [], sentAt, durationMs };
  return { kind: 'settled', outcome: 'failed', status: statusOf(left), error: reason, detail: encode(detail) };
}

/** The event is gone, or may not be sent or signed. That does not count against the pace. */
const notSent = ({ code, message }: AppError, sent: readonly PromiseSettledResult<SentAnswer>[] = []): WorkResult =>
  code === 'not_found' ? skipped('the event is gone') : refused(message, sent);

const statusOf = (answer: SentAnswer | undefined): number | null =>
  answer?.kind === 'answered' ? answer.status : null;

const paceResult = (answer: SentAnswer): 'ok' | 'failed' | 'refused' => {
  if (answer.kind === 'failed') return 'failed';
  if (answer.status === 429 || answer.status === 503) return 'refused';
  return isSuccess(answer.status) ? 'ok' : 'failed';
};

const toKept = (answer: SentAnswer) =>
  answer.kind === 'answered' ? { status: answer.status, headers: answer.headers, ...encodeBody(answer.body) } : null;
