/*
 * Sends the occurrences of a subscription to its callback. Each is tried five times within a quarter of an hour. A callback that is
 * down as a whole gets one occurrence a minute, and nothing is given up during that time. Occurrences that retention has taken are
 * replaced by one message that says so.
 */
import type { Clock } from '../../core/clock.ts';
import {
  afterFailure,
  type Health,
  healthy,
  isDown,
  probeEveryMs,
  untilProbeMs,
} from '../../core/network/destination-health.ts';
import type { QueueItem, QueueKind, QueueWork, WorkResult } from '../queues/queue.ts';
import type { Callback, CallbackMessage, CallbackResult, CallbackTarget } from './callback.ts';
import type { Subscription, SubscriptionsStore } from './store.ts';

/** Data of an item. `tries`: failed attempts while the callback was up. `gap`: everything up to this position is gone. */
type State = { at: number; tries: number; gap?: number };

export type SubscriptionWorkOptions = {
  store: Pick<SubscriptionsStore, 'open' | 'attemptStatement' | 'removeGone' | 'firstWaiting'>;
  /** Undefined if the stored callback cannot be decrypted. */
  targetOf: (subscription: Subscription) => CallbackTarget | undefined;
  post: Callback['post'];
  /** The occurrence at a position as JSON text; undefined if it no longer exists. @param after the position of its cursor */
  occurrence: (
    subscription: Subscription,
    seq: number,
    after: number,
  ) => Promise<{ id: string; body: string } | undefined>;
  /** Occurrences from before this time are removed by retention, epoch ms. */
  oldestKept: (subscription: Subscription) => Promise<number>;
  cursorAt: (subscription: Subscription, seq: number) => Promise<string>;
  clock: Clock;
  /** Whether deliveries arrive so fast that only a few occurrences are sent until they slow down. */
  isFlooded: () => boolean;
  /** Called when a subscription turns out to have ended. */
  onEnded: () => void;
};

/** The delays before the attempts that follow the first. */
export const retryDelaysMs = [5000, 30_000, 120_000, 600_000];
const concurrency = 6;
/** These concern only this occurrence: it is not sent again, and the callback is up. */
const finalStatuses = [410, 413];
const removedTogether = 500;
/** The time between two attempts of a subscription while deliveries flood in. */
const floodedMs = 1000;

export const createSubscriptionQueueKind = (options: SubscriptionWorkOptions): QueueKind => ({
  async open(owner) {
    const subscription = await options.store.open(owner, options.clock.now());
    return subscription && createSubscriptionWork(subscription, options);
  },
});

function createSubscriptionWork(opened: Subscription, options: SubscriptionWorkOptions): QueueWork {
  const { store, targetOf, post, clock, isFlooded, onEnded } = options;
  const { owner } = opened;
  let health = healthOf(opened);
  let refreshedAt = opened.refreshedAt;
  /** The item that is telling the callback about a gap, and the last position of all gaps: other items up to it say nothing. */
  let gapTeller: number | undefined;
  let goneUpTo = 0;
  let startedAtMs = Number.NEGATIVE_INFINITY;

  /** The text of an item's message; undefined if there is nothing to tell. */
  const messageOf = async (
    subscription: Subscription,
    item: QueueItem,
    state: State,
  ): Promise<CallbackMessage | undefined> => {
    const { id: subscriptionId } = subscription;
    const seq = item.event?.seq ?? 0;
    if (state.gap === undefined) {
      const waiting = await store.firstWaiting(owner, item.seq);
      const found = await options.occurrence(subscription, seq, Math.min(seq, (waiting ?? seq + 1) - 1));
      if (found) return { subscriptionId, webhookId: found.id, body: found.body };
      if (state.at >= (await options.oldestKept(subscription))) return undefined;
    }
    const isTold = state.gap === undefined && seq <= goneUpTo;
    if (isTold || (gapTeller !== undefined && gapTeller !== item.seq)) return undefined;
    gapTeller = item.seq;
    state.gap = Math.max(state.gap ?? 0, seq, await removeExpired(subscription, item));
    goneUpTo = Math.max(goneUpTo, state.gap);
    const body = JSON.stringify({ type: 'gap', cursor: await options.cursorAt(subscription, state.gap) });
    return { subscriptionId, webhookId: `msg_gap_${subscription.seq}_${item.seq}`, body };
  };

  /** Removes the other items that retention has taken. @returns the position of the last one */
  const removeExpired = async (subscription: Subscription, { seq }: QueueItem): Promise<number> => {
    const before = await options.oldestKept(subscription);
    let last = 0;
    for (let removed: number[] = []; ; last = Math.max(last, ...removed)) {
      removed = await store.removeGone(owner, { except: seq, before, limit: removedTogether });
      if (removed.length < removedTogether) return Math.max(last, ...removed);
    }
  };

  const saved = (subscription: Subscription, next: Health, { status, error }: CallbackResult) => {
    health = next;
    const isAccepted = error === null;
    return store.attemptStatement(subscription, {
      ...next,
      lastStatus: status,
      lastError: error,
      ...(isAccepted && { lastDeliveryAt: clock.now() }),
    });
  };

  const resultOf = (subscription: Subscription, state: State, result: CallbackResult): WorkResult => {
    const { status, error } = result;
    const isFinal = status !== null && finalStatuses.includes(status);
    if (error === null || isFinal) return { kind: 'removed', also: [saved(subscription, healthy, result)] };
    const also = [saved(subscription, afterFailure(health, clock.now()), result)];
    const delayMs = isDown(health) ? probeEveryMs : retryDelaysMs[state.tries];
    if (delayMs === undefined) return { kind: 'removed', also };
    const next: State = { ...state, tries: isDown(health) ? state.tries : state.tries + 1 };
    return { kind: 'retry', inMs: delayMs, status, error, detail: Buffer.from(JSON.stringify(next)), also };
  };

  return {
    // While the callback is down, and until it accepts something after that, one item at a time tests it.
    concurrency: () => (health.probeAt === null ? concurrency : 1),
    // The key includes the team, so that one team's hanging requests do not delay another team's.
    destination: () => `${opened.teamId} ${opened.origin}`,
    restMs: () => untilProbeMs(health, clock.now()),
    startInMs: () => (isFlooded() ? Math.max(0, startedAtMs + floodedMs - clock.monotonic()) : 0),
    giveUp: () => ({ kind: 'removed' }),
    async work(item, signal) {
      startedAtMs = clock.monotonic();
      // It is read again for each item: it may have ended or may have been refreshed.
      const subscription = await store.open(owner, clock.now());
      const target = subscription && targetOf(subscription);
      if (!subscription || subscription.ended !== null || !target) {
        if (subscription) onEnded();
        return { kind: 'removed' };
      }
      if (subscription.refreshedAt !== refreshedAt) health = healthOf(subscription);
      refreshedAt = subscription.refreshedAt;
      const state = readState(item);
      try {
        const message = await messageOf(subscription, item, state);
        if (!message) return { kind: 'removed' };
        if (signal.aborted) return { kind: 'interrupted' };
        const result = await post(target, message, signal);
        if (result.isAborted) return { kind: 'interrupted' };
        return resultOf(subscription, state, result);
      } finally {
        if (gapTeller === item.seq) gapTeller = undefined;
      }
    },
  };
}

const healthOf = ({ failures, failingSince, probeAt }: Subscription): Health => ({ failures, failingSince, probeAt });

/** A new item has only the time of its occurrence. */
function readState({ detail, addedAt }: QueueItem): State {
  const found = JSON.parse(Buffer.from(detail ?? []).toString() || 'null') as State | number | null;
  if (typeof found === 'number' || found === null) return { at: found ?? addedAt, tries: 0 };
  return found;
}
