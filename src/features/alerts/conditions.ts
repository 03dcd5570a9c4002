/*
 * When an alert fires and when it is resolved, as a pure function of observations. All times are times of the alert clock, which
 * stops while no server runs and never goes back.
 */

import { reportingKinds } from '../../core/alert.ts';
import type { AlertKind } from '../../shared/alerts.ts';

export type Condition = { kind: AlertKind; minutes: number | null; count: number | null };

/** `null` in a time: never. */
export type AlertState = {
  /** silence: since when no event has matched. */
  quietSince: number;
  /** silence: since when the endpoint has been paused. That time does not count. */
  pausedSince: number | null;
  /** bad_signatures: when the last ones were seen, at most `count`. */
  bad: readonly number[];
  /** Whether the condition holds. */
  isFiring: boolean;
  /**
   * How often the condition began or ended without a notification; for kinds that report changes, how many are not reported yet.
   */
  pending: number;
  /** The first of these changes, in words. */
  items: readonly string[];
  notifiedAt: number | null;
};

/** Observations since the last evaluation. */
export type Seen = {
  /** How many events match. For silence: events that end it. For bad_signatures: events with an invalid signature. */
  matching: number;
  /** Changes to report, and the first of them in words. */
  changes: number;
  items: readonly string[];
  /** forward_stuck: how long the longest stuck forward has been stuck, in ms; 0 if no forward is stuck. */
  stuckMs: number;
  /** The endpoint refuses deliveries at the moment, because a person paused it. */
  isPaused: boolean;
};

/** The notification to send. `held`: changes of the condition since the last notification that were not reported. */
export type Notice = {
  type: 'alert.fired' | 'alert.resolved';
  reason: string;
  items: readonly string[];
  count: number | null;
  held: number;
};

/** A change of the state of an alert. */
export type Change = Pick<Notice, 'reason' | 'items' | 'count'> & { firing: boolean };

const minuteMs = 60_000;
/** When an alert whose notification waits is checked again, in case the notification was dropped. */
const droppedMs = 10 * minuteMs;
const maxItems = 10;

export const newState = (now: number): AlertState => ({
  quietSince: now,
  pausedSince: null,
  bad: [],
  isFiring: false,
  pending: 0,
  items: [],
  notifiedAt: null,
});

/**
 * Notifies at most once a minute, and never while an earlier notification is still queued. A receiver that was unreachable gets
 * the queued notification and then the current state, not every change in between.
 * @param firing whether the last notification reported that the alert fired
 * @param isWaiting whether the last notification is still queued
 */
export function check(
  condition: Condition,
  { state, firing, isWaiting }: { state: AlertState; firing: boolean; isWaiting: boolean },
  seen: Seen,
  now: number,
): { state: AlertState; firing: boolean; notice: Notice | undefined } {
  const isSoon = state.notifiedAt !== null && now - state.notifiedAt < minuteMs;
  const mayNotify = !isSoon && !isWaiting;
  if (reportingKinds.has(condition.kind)) return report(condition, state, seen, { now, mayNotify });
  const next = measure(condition, state, seen, now);
  const pending = state.pending + (next.isFiring === state.isFiring ? 0 : 1);
  if (next.isFiring === firing || !mayNotify) return { state: { ...next, pending }, firing, notice: undefined };
  const notice: Notice = {
    type: next.isFiring ? 'alert.fired' : 'alert.resolved',
    reason: reasonOf(condition, next.isFiring),
    items: [],
    count: condition.kind === 'bad_signatures' ? next.bad.length : null,
    held: Math.max(0, pending - 1),
  };
  return { state: { ...next, pending: 0, notifiedAt: now }, firing: next.isFiring, notice };
}

function report(
  { kind }: Condition,
  state: AlertState,
  seen: Seen,
  { now, mayNotify }: { now: number; mayNotify: boolean },
): { state: AlertState; firing: boolean; notice: Notice | undefined } {
  const count = state.pending + seen.changes;
  const items = [...state.items, ...seen.items].slice(0, maxItems);
  if (count === 0 || !mayNotify)
    return { state: { ...state, pending: count, items }, firing: false, notice: undefined };
  const notice: Notice = {
    type: 'alert.fired',
    reason: reportOf(kind, count),
    items,
    count,
    held: 0,
  };
  return { state: { ...state, pending: 0, items: [], notifiedAt: now }, firing: false, notice };
}

function reportOf(kind: AlertKind, count: number): string {
  const things = kind === 'new_type' ? ['new event type', 'new event types'] : ['schema change', 'schema changes'];
  return `${count} ${things[count === 1 ? 0 : 1]}`;
}

function measure({ kind, minutes, count }: Condition, state: AlertState, seen: Seen, now: number): AlertState {
  const windowMs = (minutes ?? 0) * minuteMs;
  if (kind === 'silence') {
    const hasEvent = seen.matching > 0;
    if (seen.isPaused)
      return {
        ...state,
        quietSince: hasEvent ? now : state.quietSince,
        pausedSince: state.pausedSince ?? now,
        isFiring: state.isFiring && !hasEvent,
      };
    const pausedMs = now - (state.pausedSince ?? now);
    const quietSince = hasEvent ? now : Math.min(now, state.quietSince + pausedMs);
    return { ...state, quietSince, pausedSince: null, isFiring: now - quietSince >= windowMs };
  }
  if (kind === 'bad_signatures') {
    const most = count ?? 1;
    const found = Array.from({ length: Math.min(seen.matching, most) }, () => now);
    const bad = [...state.bad, ...found].filter(at => now - at < windowMs).slice(-most);
    return { ...state, bad, isFiring: bad.length >= most };
  }
  return { ...state, isFiring: seen.stuckMs > 0 && seen.stuckMs >= windowMs };
}

/**
 * The change that a check has found, whether or not a notification reports it: the condition began or ended; for kinds that report
 * changes, `seen` has some.
 */
export function changeOf(
  condition: Condition,
  before: AlertState,
  { isFiring }: AlertState,
  { changes, items }: Seen,
): Change | undefined {
  if (reportingKinds.has(condition.kind)) {
    const reason = reportOf(condition.kind, changes);
    return changes === 0 ? undefined : { firing: true, reason, items: items.slice(0, maxItems), count: changes };
  }
  if (isFiring === before.isFiring) return undefined;
  return { firing: isFiring, reason: reasonOf(condition, isFiring), items: [], count: null };
}

/** When an alert must be checked although nothing wakes it; null: never. Call it with what `check` has returned. */
export function nextCheckAt(
  { kind, minutes }: Condition,
  { state, firing, isWaiting }: { state: AlertState; firing: boolean; isWaiting: boolean },
  seen: Seen,
  now: number,
): number | null {
  const windowMs = (minutes ?? 0) * minuteMs;
  const hasNews = reportingKinds.has(kind) ? state.pending > 0 : state.isFiring !== firing;
  const times: number[] = [];
  // The end of a queued notification wakes the alert, unless the notification is dropped at this moment.
  if (hasNews) times.push(isWaiting ? now + droppedMs : (state.notifiedAt ?? now) + minuteMs);
  if (kind === 'silence' && !state.isFiring && !seen.isPaused) times.push(state.quietSince + windowMs);
  if (kind === 'bad_signatures' && state.isFiring) times.push((state.bad[0] ?? now) + windowMs);
  // The wall clock, which says how long a forward has been stuck, may jump.
  if (kind === 'forward_stuck' && !state.isFiring && seen.stuckMs > 0)
    times.push(now + Math.min(windowMs - seen.stuckMs, minuteMs));
  return times.length === 0 ? null : Math.max(now + 1, Math.min(...times));
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
