/*
 * The pace of a replay job: as requested, and slower while the destination cannot keep up. Five failures in a row, or three
 * responses with 429 or 503 among ten, halve the pace; every 50 good responses double it again, up to the requested pace. The
 * first failure after a doubling reverts it. Responses to requests from before the last change do not count, because they do not
 * show the effect of the new pace.
 *
 * A job that fell behind its schedule, because the process was busy, makes up for up to 5 s by sending at most a fifth faster
 * than its pace. Timers are late by a millisecond or more, so requests that are due within 20 ms may start together. After a 429
 * or 503, a job does not catch up, and in no second do more requests arrive than the pace allows, even if a process stalls in
 * between.
 */
import { invalidAt } from '../../core/errors.ts';
import { maxJobPerSecond, minJobPerSecond } from '../../shared/limits.ts';

export type Pace =
  | { kind: 'unlimited' }
  /** Requests per second. */
  | { kind: 'rate'; perSecond: number }
  /** The intervals between the events' times of receipt, divided by `factor`. */
  | { kind: 'original'; factor: number };

const failuresInRow = 5;
const refusalsOfTen = 3;
const goodInRow = 50;
/** After a doubling, this many responses decide whether it was too much. */
const probeAnswers = 20;
const minPerSecond = 0.2;
const maxSlowdown = 1 << 20;
/** A job that is further behind its schedule begins a new one. */
const maxBehindMs = 5000;
const catchUpFactor = 1.2;
const burstMs = 20;
/** The longest time until the next check for the response. */
const answerWaitMs = 20;
const windowMs = 1000;

/** @throws invalid */
export function readPace(text: string | undefined): Pace {
  if (text === undefined || text === '') return { kind: 'unlimited' };
  const [, factor = '1'] = /^original(?:\*(\d{1,6}(?:\.\d{1,3})?))?$/.exec(text) ?? [undefined, ''];
  if (factor !== '') {
    if (Number(factor) <= 0) throw invalidAt(['pace'], 'must be more than original*0');
    return { kind: 'original', factor: Number(factor) };
  }
  const perSecond = Number(/^(\d{1,6}(?:\.\d{1,3})?)\/s$/.exec(text)?.[1]);
  if (!(perSecond >= minJobPerSecond && perSecond <= maxJobPerSecond))
    throw invalidAt(['pace'], 'must be original, original*10, or a rate such as 5/s');
  return { kind: 'rate', perSecond };
}

export function createPaceControl(pace: Pace, monotonic: () => number) {
  /** The pace is divided by it: 1 is the requested pace. */
  let slowdown = 1;
  /** The rate to reduce if the job has no rate of its own and the destination cannot keep up. */
  let ownRate: number | undefined;
  /** When the last request was due on the schedule. */
  let scheduledMs = Number.NEGATIVE_INFINITY;
  /** When the last request was due at the catch-up rate. When a request starts, this is at most `burstMs` in the past. */
  let fastMs = Number.NEGATIVE_INFINITY;
  let lastReceivedAt: number | undefined;
  let changedMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let good = 0;
  let sinceDoubling = Number.POSITIVE_INFINITY;
  let lastTen: boolean[] = [];
  const starts: number[] = [];
  const recent = createRecentRequests(monotonic);

  const rate = (): number | undefined => (pace.kind === 'rate' ? pace.perSecond : ownRate);
  const intervalMs = (receivedAt: number | undefined): number => {
    if (pace.kind === 'original') {
      const distance = (receivedAt ?? 0) - (lastReceivedAt ?? receivedAt ?? 0);
      // A slowed job keeps at least the interval of its own rate; otherwise, events that were received at the same moment would
      // not be slowed.
      const least = slowdown > 1 && ownRate !== undefined ? (1000 * slowdown) / ownRate : 0;
      return Math.max((Math.max(0, distance) / pace.factor) * slowdown, least);
    }
    const perSecond = rate();
    if (perSecond === undefined) return 0;
    return Math.min((1000 * slowdown) / perSecond, 1000 / Math.min(minPerSecond, perSecond));
  };
  const isProbe = (): boolean => sinceDoubling < probeAnswers;
  const isRefusing = (): boolean => slowdown > 1 || isProbe() || lastTen.includes(true);
  /** How long to hold back for the sake of the destination, regardless of the schedule. */
  const sparedMs = (): number => {
    const perSecond = rate();
    if (perSecond === undefined || !isRefusing()) return 0;
    // While a doubled pace is tried, each request waits for the previous response.
    if (isProbe() && recent.underWay() > 0) return answerWaitMs;
    return recent.waitMs(Math.max(1, Math.ceil(perSecond / slowdown)));
  };
  const change = (factor: number): void => {
    slowdown = Math.min(Math.max(1, slowdown * factor), maxSlowdown);
    changedMs = monotonic();
    scheduledMs = changedMs;
    fastMs = changedMs;
    failures = 0;
    good = 0;
    lastTen = [];
    sinceDoubling = factor < 1 ? 0 : Number.POSITIVE_INFINITY;
  };
  const slowDown = (): void => {
    // If the job has no rate of its own, the requests of the last second were too many.
    if (pace.kind !== 'rate' && slowdown === 1) ownRate = Math.max(starts.length, 2);
    change(2);
  };

  return {
    /** The time until the next request may start, in ms. @param receivedAt when its event was received, epoch ms */
    startInMs(receivedAt: number | undefined): number {
      const interval = intervalMs(receivedAt);
      const onScheduleMs = Math.max(scheduledMs + interval, fastMs + interval / catchUpFactor) - monotonic();
      return Math.max(0, onScheduleMs, sparedMs());
    },

    /** Call it when a request starts, and `ended` when it is over. @returns the value to pass to `answered` */
    started(receivedAt: number | undefined): number {
      const now = monotonic();
      const interval = intervalMs(receivedAt);
      const onSchedule = scheduledMs + interval;
      scheduledMs = now - onSchedule > (isRefusing() ? 0 : maxBehindMs) ? now : onSchedule;
      fastMs = Math.max(fastMs + interval / catchUpFactor, now - burstMs);
      lastReceivedAt = receivedAt;
      while (now - (starts[0] ?? now) >= 1000) starts.shift();
      starts.push(now);
      recent.started();
      return now;
    },
    ended: recent.ended,

    /** @param result refused: 429 or 503, which is also a failure @param startedMs the value of `started` */
    answered(result: 'ok' | 'failed' | 'refused', startedMs: number): void {
      if (startedMs < changedMs) return;
      const isOk = result === 'ok';
      failures = isOk ? 0 : failures + 1;
      good = isOk ? good + 1 : 0;
      lastTen = [...lastTen.slice(-9), result === 'refused'];
      const wasProbe = isProbe();
      sinceDoubling++;
      if (wasProbe && !isOk) change(2);
      else if (failures >= failuresInRow || lastTen.filter(Boolean).length >= refusalsOfTen) slowDown();
      else if (good >= goodInRow && slowdown > 1) change(0.5);
    },

    /** How many times slower the job is than requested. */
    slowdown: (): number => slowdown,
  };
}

/**
 * Counts the requests that a destination may have seen in the last second: all running ones, and all that ended in that second. A
 * request reaches the destination at some time between its start and its end. As long as this count stays within a limit, the
 * destination never sees more requests in a second than the limit, even when one of the processes stalls.
 */
function createRecentRequests(monotonic: () => number) {
  let underWay = 0;
  /** The ends of requests, in order. */
  let endedMs: number[] = [];
  /** The first of `endedMs` that still counts. */
  let first = 0;

  const forgetOld = (): void => {
    const since = monotonic() - windowMs;
    while (first < endedMs.length && (endedMs[first] ?? 0) <= since) first++;
    if (first < 1000 || first * 2 < endedMs.length) return;
    endedMs = endedMs.slice(first);
    first = 0;
  };

  return {
    started: (): void => void underWay++,
    ended(): void {
      underWay--;
      forgetOld();
      endedMs.push(monotonic());
    },
    underWay: (): number => underWay,

    /** The minimum wait in ms before another request may start without exceeding `most`. */
    waitMs(most: number): number {
      forgetOld();
      const tooMany = underWay + endedMs.length - first + 1 - most;
      if (tooMany <= 0) return 0;
      // A running request counts for another second after its end.
      const last = endedMs[first + tooMany - 1];
      return last === undefined ? windowMs : last + windowMs - monotonic();
    },
  };
}
