/*
 * How the items of a replay job are worked on: send the event, compare the answers where there are two destinations, and slow down
 * where a destination refuses. Every attempt stands among the event's replays.
 */
import { gzipSync } from 'node:zlib';
import { compareAnswers, type Difference } from '../../core/answer-comparison.ts';
import { encodeBody } from '../../core/body-encoding.ts';
import type { Clock } from '../../core/clock.ts';
import { isSuccess } from '../../core/destination.ts';
import { AppError } from '../../core/errors.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { eventId } from '../../core/ids.ts';
import { retryAfterMs } from '../../core/retry-after.ts';
import type { QueueItem, QueueWork, WorkResult } from '../queues/queue.ts';
import { createPaceControl, readPace } from './pace.ts';
import type { JobRow, ReplayJobsStore } from './store.ts';

/** The answer to an attempt, which is recorded among the event's replays. Credentials in it are hidden. */
export type SentAnswer =
  | { kind: 'answered'; status: number; headers: HeaderPair[]; body: Uint8Array }
  | { kind: 'failed'; reason: string };

/** What a job's item ends with besides its status. */
export type ItemDetail = { status2: number | null; differences: Difference[] };

export type JobSender = (
  job: JobRow & { plan: 'free' | 'pro' },
  id: string,
  dest: string,
  signal: AbortSignal,
) => Promise<SentAnswer>;

const answersKeptMs = 7 * 24 * 3_600_000;
/** The queues know no later time. */
const maxRetryAfterMs = 24 * 3_600_000;
const longestTimesInRow = 1000;

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value), 'utf8');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

export type JobWorkOptions = {
  store: Pick<ReplayJobsStore, 'wasAccepted' | 'keepAnswers' | 'counts'>;
  /** Sends the event as it was captured, or signed anew. @throws AppError when it is gone or may not be sent */
  send: JobSender;
  clock: Clock;
  /** `stopAfter` events have failed. */
  onTooManyFailures: (id: string) => Promise<void>;
  onItem: ((outcome: string) => void) | undefined;
};

export function createJobWork(
  job: JobRow & { plan: 'free' | 'pro' },
  failedBefore: number,
  { store, send, clock, onTooManyFailures, onItem }: JobWorkOptions,
): QueueWork {
  const [dest, dest2] = [text(job.dest), job.dest2 && text(job.dest2)];
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

  /** 429 and 503 that say when to come back are not the event's fault. */
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
    if (!right)
      return { kind: 'settled', outcome: isSuccess(status) ? 'ok' : 'failed', status, error, detail: encode(noDetail) };
    const status2 = right.kind === 'answered' ? right.status : null;
    if (left.kind === 'failed' || right.kind === 'failed')
      return { kind: 'settled', outcome: 'failed', status, error, detail: encode({ status2, differences: [] }) };
    const differences = compareAnswers(left, right, comparing);
    const detail = encode({ status2, differences } satisfies ItemDetail);
    if (differences.length === 0) return { kind: 'settled', outcome: 'same', status, error, detail };
    const answers = gzipSync(encode({ left: toKept(left), right: toKept(right) }));
    const also = [store.keepAnswers(item.seq, answers, clock.now() + answersKeptMs)];
    return { kind: 'settled', outcome: 'different', status, error, detail, also };
  };

  const work = async (item: QueueItem, signal: AbortSignal): Promise<WorkResult> => {
    const { event } = item;
    if (!event) return skipped('the event is gone');
    const id = eventId(event.seq, event.nonce);
    if (job.skipOk && (await store.wasAccepted(event.seq, dest)))
      return skipped('the destination has accepted it before');
    const startedMs = pace.started(receivedAt(item));
    try {
      const [left, right] = await Promise.all([
        send(job, id, dest, signal),
        dest2 === null ? undefined : send(job, id, dest2, signal),
      ]);
      if (signal.aborted && left.kind === 'failed') return { kind: 'interrupted' };
      const answers = right ? [left, right] : [left];
      for (const one of answers) pace.answered(paceResult(one), startedMs);
      const wait = item.attempts < longestTimesInRow ? askedToWait(answers) : undefined;
      if (wait) return { kind: 'retry', inMs: wait.inMs, status: wait.status, error: 'the destination asked to wait' };
      return settle(item, left, right);
    } catch (error) {
      if (signal.aborted) return { kind: 'interrupted' };
      if (!(error instanceof AppError)) throw error;
      // Gone meanwhile, or not to be signed: the destination has nothing to do with it.
      return error.code === 'not_found' ? skipped('the event is gone') : refused(error.message);
    }
  };

  return {
    concurrency: () => (isStopped ? 0 : job.concurrency),
    destination: () => new URL(dest).origin,
    startInMs: item => pace.startInMs(receivedAt(item)),
    work,
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

const noDetail: ItemDetail = { status2: null, differences: [] };

const skipped = (reason: string): WorkResult => ({
  kind: 'settled',
  outcome: 'skipped',
  status: null,
  error: reason,
  detail: encode(noDetail),
});
const refused = (reason: string): WorkResult => ({
  kind: 'settled',
  outcome: 'failed',
  status: null,
  error: reason,
  detail: encode(noDetail),
});

const paceResult = (answer: SentAnswer): 'ok' | 'failed' | 'refused' => {
  if (answer.kind === 'failed') return 'failed';
  if (answer.status === 429 || answer.status === 503) return 'refused';
  return isSuccess(answer.status) ? 'ok' : 'failed';
};

const toKept = (answer: SentAnswer) =>
  answer.kind === 'answered' ? { status: answer.status, headers: answer.headers, ...encodeBody(answer.body) } : null;
