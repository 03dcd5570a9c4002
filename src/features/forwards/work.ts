/*
 * Sends the events of a forward. A 2xx response settles an event: one transaction removes its queue item and records the attempt
 * among the event's replays. If the destination is busy or does not respond, the event is retried; if it rejects the event, it is
 * tried three times in total.
 */
import type { InStatement } from '@libsql/client';
import type { Clock } from '../../core/clock.ts';
import { AppError, isShortOfMemory } from '../../core/errors.ts';
import { retryMs } from '../../core/forward.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { eventId } from '../../core/ids/ids.ts';
import { isSuccess } from '../../core/network/destination.ts';
import {
  afterFailure,
  type Health,
  healthy,
  isDown,
  isResting,
  maxRestMs,
  probeEveryMs,
  resting,
  untilProbeMs,
} from '../../core/network/destination-health.ts';
import { retryAfterMs } from '../../core/network/retry-after.ts';
import type { QueueItem, QueueKind, QueueWork, WorkResult } from '../queues/queue.ts';
import type { ForwardsStore, OpenForward } from './store.ts';

/**
 * `recorded`: a statement that adds the attempt to the event's replays. `refused`: it was not sent, and will not be with these
 * settings.
 */
export type ForwardAnswer =
  | { kind: 'answered'; status: number; headers: readonly HeaderPair[]; durationMs: number; recorded: InStatement }
  | { kind: 'failed'; reason: string }
  | { kind: 'refused'; reason: string };

/** @param event `attempts`: how many attempts this makes, with earlier ones */
export type ForwardSender = (
  forward: OpenForward,
  event: { id: string; attempts: number },
  signal: AbortSignal,
) => Promise<ForwardAnswer>;

export type ForwardWorkOptions = {
  store: Pick<ForwardsStore, 'open' | 'saveHealthStatement'>;
  /** @throws AppError if the event no longer exists or may not be sent */
  send: ForwardSender;
  clock: Clock;
  /** A random number from 0 to 1, without 1. */
  jitter: () => number;
  onResult: (result: 'settled' | 'retried' | 'given_up') => void;
  /** Called when an attempt has ended. @param durationMs null: it has failed */
  onAttempt: (forward: number, durationMs: number | null) => void;
};

/** The most concurrent requests of one forward. */
const maxConcurrency = 6;
/** After a rest, concurrency grows by one for each of this many accepted events. */
const acceptedPerStep = 10;
const maxRefusals = 3;
/** The shortest rest, so that a destination with `Retry-After: 0` is not called in a loop. */
const minRetryAfterMs = 100;

const memoryMs = 2000;

/** `firstAt`: the time of the first attempt, epoch ms. `refusals`: how many responses rejected the event, such as 404. */
type Tried = { firstAt: number; refusals: number };

/** The kind of queue for forwards, for the runner. */
export const createForwardQueueKind = (options: ForwardWorkOptions): QueueKind => ({
  async open(id) {
    const forward = await options.store.open(id);
    return forward && createForwardWork(forward, options);
  },
});

function createForwardWork(opened: OpenForward, options: ForwardWorkOptions): QueueWork {
  const { store, send, clock, jitter, onResult, onAttempt } = options;
  const { id, seq } = opened;
  let health: Health = { failures: opened.failures, failingSince: opened.failingSince, probeAt: opened.probeAt };
  /** How many events were accepted since the last 429. */
  let acceptedSinceLimit = opened.failures === 0 && opened.probeAt !== null ? 0 : maxConcurrency * acceptedPerStep;

  /**
   * @returns the statements that save the destination's health; none if it is unchanged. A result for a URL that has been
   * replaced since does not count.
   */
  const healthStatements = ({ url }: OpenForward, next: Health): InStatement[] => {
    // An attempt that had started before the destination asked to wait does not end the rest.
    if (isResting(health, clock.now()) && (next.probeAt ?? 0) <= (health.probeAt ?? 0)) return [];
    const isSame = [next, health].every(({ failures, probeAt }) => failures === 0 && probeAt === null);
    health = next;
    return isSame ? [] : [store.saveHealthStatement({ id, url }, next)];
  };

  const tryAgain = (item: QueueItem, forward: OpenForward, answer: ForwardAnswer): WorkResult => {
    // The clock is read once: with two readings, a first delay that equals the whole retry time could exceed it.
    const now = clock.now();
    const { retry } = forward;
    const { forMs, firstMs, maxMs } = retryMs(retry);
    const status = answer.kind === 'answered' ? answer.status : null;
    const isRefusal = status !== null && !isBusy(status);
    const before = readTried(item, now);
    const tried: Tried = { ...before, refusals: before.refusals + (isRefusal ? 1 : 0) };
    const asked = answer.kind === 'answered' && !isRefusal ? retryAfterMs(answer.headers, now) : undefined;
    const askedMs = asked === undefined ? undefined : Math.min(Math.max(asked, minRetryAfterMs), maxRestMs);
    // A destination that rejects an event, or responds that it is busy, is up.
    const isUp = isRefusal || status === 429;
    if (status === 429) acceptedSinceLimit = 0;
    const up = askedMs === undefined ? healthy : resting(now, askedMs);
    const also = healthStatements(forward, isUp ? up : afterFailure(health, now));
    const longest = Math.min(maxMs, firstMs * 2 ** Math.min(item.attempts + 1, 30));
    const backoff = firstMs + jitter() * (longest - firstMs);
    const ownMs = isDown(health) ? Math.min(backoff, probeEveryMs) : backoff;
    const inMs = askedMs ?? Math.ceil(ownMs);
    if (isRefusal && tried.refusals >= maxRefusals)
      return givenUp(status, `answered ${status}, ${maxRefusals} times with a status that is not tried again`, also);
    const reason = answer.kind === 'answered' ? null : answer.reason;
    if (!isRefusal && now + inMs > tried.firstAt + forMs)
      return givenUp(status, `not delivered within ${retry.for}${reason === null ? '' : `: ${reason}`}`, also);
    onResult('retried');
    return { kind: 'retry', inMs, status, error: reason, detail: Buffer.from(JSON.stringify(tried)), also };
  };
  const givenUp = (status: number | null, error: string, also: readonly InStatement[] = []): WorkResult => {
    onResult('given_up');
    return { kind: 'settled', outcome: 'given_up', status, error, also };
  };

  const work = async (item: QueueItem, signal: AbortSignal): Promise<WorkResult> => {
    // The forward is read again for each event, because it may have changed.
    const forward = await store.open(id);
    if (!forward || !item.event) return { kind: 'removed' };
    let answer: ForwardAnswer;
    try {
      const id = eventId(item.event.seq, item.event.nonce);
      answer = await send(forward, { id, attempts: item.attempts + 1 }, signal);
    } catch (error) {
      if (signal.aborted) return { kind: 'interrupted' };
      if (!(error instanceof AppError)) throw error;
      if (isShortOfMemory(error)) return waitForMemory(item, error);
      if (!isFinal(error)) throw error;
      if (error.code === 'not_found') return { kind: 'removed' };
      onAttempt(seq, null);
      return givenUp(null, error.message);
    }
    if (answer.kind === 'failed' && signal.aborted) return { kind: 'interrupted' };
    const accepted = answer.kind === 'answered' && isSuccess(answer.status) ? answer : undefined;
    onAttempt(seq, accepted?.durationMs ?? null);
    if (answer.kind === 'refused') return givenUp(null, answer.reason);
    if (accepted) {
      onResult('settled');
      acceptedSinceLimit++;
      return { kind: 'removed', also: [accepted.recorded, ...healthStatements(forward, healthy)] };
    }
    return tryAgain(item, forward, answer);
  };

  return {
    // While the destination is down or rests, and until it accepts an event after that, one event at a time tests it.
    concurrency: () =>
      health.probeAt === null ? Math.min(1 + Math.floor(acceptedSinceLimit / acceptedPerStep), maxConcurrency) : 1,
    // The key includes the team, so that one team's hanging requests do not delay another team's.
    destination: () => `${opened.teamId} ${new URL(opened.url.toString()).origin}`,
    restMs: () => untilProbeMs(health, clock.now()),
    work,
    giveUp: (_, reason) => givenUp(null, reason),
  };
}

/** Statuses that do not depend on the event: it is retried for the whole time. */
const isBusy = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

/** Retries without a conclusion about the destination. */
const waitForMemory = ({ attempts }: QueueItem, { message: error }: AppError): WorkResult => ({
  kind: 'retry',
  inMs: Math.min(memoryMs * (attempts + 1), probeEveryMs),
  status: null,
  error,
});

/** Whether a retry would fail in the same way. */
const isFinal = ({ code }: AppError): boolean => ['not_found', 'forbidden', 'invalid', 'damaged'].includes(code);

/** The clock may have gone back since. */
function readTried({ attempts, detail }: QueueItem, now: number): Tried {
  if (attempts === 0 || detail === null) return { firstAt: now, refusals: 0 };
  const { firstAt, refusals } = JSON.parse(Buffer.from(detail).toString('utf8')) as Tried;
  return { firstAt: Math.min(firstAt, now), refusals };
}
