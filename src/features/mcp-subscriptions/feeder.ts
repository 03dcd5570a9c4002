/*
 * Adds the occurrences of subscriptions to their queues, in the order in which they were stored. Items and the new position are
 * written in one transaction, so that a kill neither loses nor duplicates one. It works in the background, after deliveries.
 */
import type { InStatement } from '@libsql/client';
import type { Clock } from '../../core/clock.ts';
import { createEndpointWatch } from '../../core/concurrency/endpoint-watch.ts';
import { subscriptionQueue } from '../../core/mcp-events/subscription.ts';
import { isDown } from '../../core/network/destination-health.ts';
import type { QueuesService } from '../queues/service.ts';
import type { OccurrencePage } from './occurrences.ts';
import type { Subscription, SubscriptionsStore } from './store.ts';

/** How many occurrences one step reads. */
const readTogether = 200;
/** Means all alerts among the row numbers of endpoints, which begin with 1. */
const allAlerts = 0;

export type SubscriptionFeeder = ReturnType<typeof createSubscriptionFeeder>;

export function createSubscriptionFeeder(options: {
  store: Pick<
    SubscriptionsStore,
    'startedOf' | 'startedOfAlerts' | 'watchedEndpoints' | 'movePositionStatements' | 'writeMoved'
  >;
  queues: Pick<
    QueuesService,
    'createQueueStatements' | 'addEventsStatement' | 'addItemsWithoutWakingStatements' | 'wakeStatements' | 'added'
  >;
  addJob: Parameters<typeof createEndpointWatch>[0]['addJob'];
  lastSeq: Parameters<typeof createEndpointWatch>[0]['lastSeq'];
  newEvents: Parameters<typeof createEndpointWatch>[0]['newEvents'];
  /** The next occurrences after the subscription's position. @throws not_found */
  read: (subscription: Subscription, limit: number) => Promise<OccurrencePage>;
  clock: Clock;
  isFlooded: () => boolean;
  /** Called when a subscription turns out to have ended. */
  onEnded: () => void;
  onError: (error: unknown, fields: Record<string, unknown>) => void;
}) {
  const { store, queues, addJob, lastSeq, newEvents, read, clock, isFlooded, onEnded, onError } = options;

  const itemStatements = (subscription: Subscription, { found, seq, truncated }: OccurrencePage): InStatement[] => {
    const { owner, name, probeAt, teamId } = subscription;
    if (found.length === 0 && !truncated) return [];
    const lost = (found[0]?.seq ?? seq + 1) - 1;
    const gap = { event: at(lost), detail: toDetail({ at: clock.now(), tries: 0, gap: lost }) };
    const items =
      name === 'webhook.received' ? [] : found.map(one => ({ event: at(one.seq), detail: toDetail(one.at) }));
    const events = found.map(one => one.seq);
    return [
      ...queues.createQueueStatements(subscriptionQueue, owner, teamId),
      ...queues.addItemsWithoutWakingStatements(subscriptionQueue, owner, truncated ? [gap, ...items] : items),
      ...(items.length > 0 ? [] : [queues.addEventsStatement(subscriptionQueue, owner, events, true)]),
      // While the callback is down, the queue is due only at its next probe.
      ...queues.wakeStatements(subscriptionQueue, owner, probeAt ?? undefined),
    ];
  };

  const feed = async (subscription: Subscription, until: number): Promise<boolean> => {
    const { owner, ended } = subscription;
    if (ended !== null) {
      onEnded();
      return false;
    }
    for (;;) {
      const page = await read(subscription, readTogether);
      const items = itemStatements(subscription, page);
      if (items.length === 0 && page.seq <= subscription.position) return page.hasMore;
      const moved = store.movePositionStatements(subscription, Math.max(page.seq, subscription.position));
      // Otherwise the subscription has changed and must be read again.
      if (!(await store.writeMoved([...moved, ...items]))) return true;
      subscription.position = Math.max(page.seq, subscription.position);
      if (items.length > 0 && !isDown(subscription)) queues.added(subscriptionQueue, owner);
      if (!page.hasMore) return false;
      if (clock.monotonic() >= until) return true;
    }
  };

  const watch = createEndpointWatch<Subscription>({
    name: 'subscriptions',
    addJob,
    lastSeq,
    newEvents,
    watched: store.watchedEndpoints,
    watchersOf: endpoint =>
      endpoint === allAlerts ? store.startedOfAlerts(clock.now()) : store.startedOf(endpoint, clock.now()),
    feed,
    monotonic: clock.monotonic,
    isFlooded,
    onError: (error, { id }) => onError(error, { subscription: id }),
  });
  return {
    ...watch,
    /** Call it when a subscription may begin. */
    begin: ({ name, endpoint }: Pick<Subscription, 'name' | 'endpoint'>): void =>
      watch.add(name === 'alert.changed' ? allAlerts : (endpoint ?? allAlerts)),
    /** Call it when alerts have changed their state. */
    alertsChanged: (): void => watch.add(allAlerts),
    async refresh(): Promise<void> {
      watch.add(allAlerts);
      await watch.refresh();
    },
  };
}

const at = (seq: number) => ({ seq, nonce: new Uint8Array() });
const toDetail = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
