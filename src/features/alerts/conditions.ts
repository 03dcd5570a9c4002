/*
 * When an alert fires and when it is resolved, as a pure function of observations. All times are those of the alert clock, which
 * stops while no server runs and never goes back.
 */

import { reportingKinds } from '../../core/alert.ts';
import type { AlertKind } from '../../shared/alerts.ts';

export type Condition = { kind: AlertKind; minutes: number | null; count: number | null };

/** `null` in a time: never. */
export type AlertState = {
  /** silence: since when no event has matched. */
  quietSince: number;
  /** bad_signatures: when the last ones were seen, at most `count`. */
  bad: readonly number[];
  /** Whether the condition holds. */
  isFiring: boolean;
  /**
   * How often the condition began or ended without a notification; for kinds that report changes, how many are not reported yet.
   */
  untold: number;
  /** The first of these changes, in words. */
  news: readonly string[];
  toldAt: number | null;
};

/** Observations since the last evaluation. */
export type Seen = {
  /** How many events match. For silence: events that end it. For bad_signatures: events with an invalid signature. */
  matching: number;
  /** Changes to report, and the first of them in words. */
  changes: number;
  news: readonly string[];
  /** forward_stuck: how long the longest stuck forward has been stuck, in ms; 0 if no forward is stuck. */
  stuckMs: number;
  /** The endpoint refuses deliveries at the moment, because a person paused it. */
  isPaused: boolean;
};

/** The notification to send. `held`: changes of the condition since the last notification that were not reported. */
export type Notice = {
  type: 'alert.fired' | 'alert.resolved';
  reason: string;
  news: readonly string[];
  count: number | null;
  held: number;
};

const minuteMs = 60_000;
const maxNews = 10;

export const newState = (now: number): AlertState => ({
  quietSince: now,
  bad: [],
  isFiring: false,
  untold: 0,
  news: [],
  toldAt: null,
});

/**
 * Notifies at most once a minute, and never while an earlier notification is still queued. A receiver that was unreachable gets
 * the queued notification and then the current state, not every change in between.
 * @param told whether the last notification reported that the alert fired
 * @param isWaiting whether the last notification is still queued
 */
export function look(
  condition: Condition,
  { state, told, isWaiting }: { state: AlertState; told: boolean; isWaiting: boolean },
  seen: Seen,
  { now, elapsedMs }: { now: number; elapsedMs: number },
): { state: AlertState; told: boolean; notice: Notice | undefined } {
  const isSoon = state.toldAt !== null && now - state.toldAt < minuteMs;
  const mayTell = !isSoon && !isWaiting;
  if (reportingKinds.has(condition.kind)) return report(condition, state, seen, { now, mayTell });
  const next = measure(condition, state, seen, { now, elapsedMs });
  const untold = state.untold + (next.isFiring === state.isFiring ? 0 : 1);
  if (next.isFiring === told || !mayTell) return { state: { ...next, untold }, told, notice: undefined };
  const notice: Notice = {
    type: next.isFiring ? 'alert.fired' : 'alert.resolved',
    reason: reasonOf(condition, next.isFiring),
    news: [],
    count: condition.kind === 'bad_signatures' ? next.bad.length : null,
    held: Math.max(0, untold - 1),
  };
  return { state: { ...next, untold: 0, toldAt: now }, told: next.isFiring, notice };
}

function report(
  { kind }: Condition,
  state: AlertState,
  seen: Seen,
  { now, mayTell }: { now: number; mayTell: boolean },
): { state: AlertState; told: boolean; notice: Notice | undefined } {
  const count = state.untold + seen.changes;
  const news = [...state.news, ...seen.news].slice(0, maxNews);
  if (count === 0 || !mayTell) return { state: { ...state, untold: count, news }, told: false, notice: undefined };
  const things = kind === 'new_type' ? ['new event type', 'new event types'] : ['schema change', 'schema changes'];
  const notice: Notice = {
    type: 'alert.fired',
    reason: `${count} ${things[count === 1 ? 0 : 1]}`,
    news,
    count,
    held: 0,
  };
  return { state: { ...state, untold: 0, news: [], toldAt: now }, told: false, notice };
}

function measure(
  { kind, minutes, count }: Condition,
  state: AlertState,
  seen: Seen,
  { now, elapsedMs }: { now: number; elapsedMs: number },
): AlertState {
  const windowMs = (minutes ?? 0) * minuteMs;
  if (kind === 'silence') {
    const waitedSince = seen.isPaused ? Math.min(now, state.quietSince + elapsedMs) : state.quietSince;
    const quietSince = seen.matching > 0 ? now : waitedSince;
    return { ...state, quietSince, isFiring: now - quietSince >= windowMs };
  }
  if (kind === 'bad_signatures') {
    const most = count ?? 1;
    const found = Array.from({ length: Math.min(seen.matching, most) }, () => now);
    const bad = [...state.bad, ...found].filter(at => now - at < windowMs).slice(-most);
    return { ...state, bad, isFiring: bad.length >= most };
  }
  return { ...state, isFiring: seen.stuckMs > 0 && seen.stuckMs >= windowMs };
}

function reasonOf({ kind, minutes, count }: Condition, isFiring: boolean): string {
  const during = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  if (kind === 'silence') return isFiring ? `no event for ${during}` : 'events arrive again';
  if (kind === 'bad_signatures')
    return isFiring
      ? `${count} ${count === 1 ? 'event' : 'events'} with an invalid signature in ${during}`
      : `fewer than ${count} ${count === 1 ? 'event' : 'events'} with an invalid signature in ${during}`;
  return isFiring ? `a forward has been stuck for ${during}` : 'no forward is stuck any more';
}
