/* Webhook subscriptions of MCP Events: they tell connected apps about new events. */
import { alertChangesKeptMs } from '../core/alert.ts';
import { subscriptionQueue, terminationQueue } from '../core/mcp-events/subscription.ts';
import { isLoopbackOrigin } from '../core/network/address-classes.ts';
import { createForwardsStore } from '../features/forwards/store.ts';
import { type Callback, createCallback } from '../features/mcp-subscriptions/callback.ts';
import { createSubscriptionFeeder } from '../features/mcp-subscriptions/feeder.ts';
import { createOccurrences, type Occurrences } from '../features/mcp-subscriptions/occurrences.ts';
import { createSubscriptionsService, type SubscriptionsService } from '../features/mcp-subscriptions/service.ts';
import { createSubscriptionsStore, type SubscriptionsStore } from '../features/mcp-subscriptions/store.ts';
import { createTerminationQueueKind } from '../features/mcp-subscriptions/termination.ts';
import { createSubscriptionQueueKind } from '../features/mcp-subscriptions/work.ts';
import type { QueuesService } from '../features/queues/service.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import type { CoreServices } from './core.ts';
import type { wireMcpEvents } from './mcp-events.ts';

/** How often new events, and subscriptions that are over, are looked for, besides when this process hears of them. */
const sharedEveryMs = 2000;
const ownEveryMs = 15_000;
const forgetEveryMs = 600_000;
/** With this many deliveries within the last one or two seconds, capture needs the processor: subscriptions catch up later. */
const floodedDeliveries = 1000;

type Services = CoreServices & ReturnType<typeof wireMcpEvents> & { queues: QueuesService };

export function wireMcpSubscriptions(services: Services) {
  const { audit, endpoints, background, queues, mcpEvents, isOwnIngest, captureLoad } = services;
  const { config, database, clock, random, sealer, outbound, every, isShared, log, runsQueues } = services;
  const issuers = config.oauthIssuers.map(({ issuer }) => issuer);
  const store = createSubscriptionsStore(database, issuers);
  const { lastSeq, newEvents } = createForwardsStore(database);
  const challenges = createRateLimiter(clock.monotonic);
  const occurrences = createOccurrences(mcpEvents);
  const callback = createCallback({
    outbound,
    isOwnIngest,
    isLocal: isLoopbackOrigin(config.baseUrl),
    now: clock.now,
    random,
  });
  const onError = (cause: unknown, fields: Record<string, unknown>): void =>
    log.warn('a subscription could not be worked on', { ...fields, cause });
  const isFlooded = (): boolean => captureLoad.recent() >= floodedDeliveries;
  let isEnding = false;
  /** Ends the subscriptions that are over. Never throws. */
  const endOver = (): void => {
    if (!runsQueues || isEnding) return;
    isEnding = true;
    service
      .endOver()
      .catch(cause => log.warn('subscriptions could not be ended', { cause }))
      .finally(() => {
        isEnding = false;
      });
  };

  const feeder = createSubscriptionFeeder({
    store,
    queues,
    addJob: background.add,
    lastSeq,
    newEvents,
    read: occurrences.next,
    clock,
    isFlooded,
    onEnded: endOver,
    onError,
  });
  const service = createSubscriptionsService({
    store,
    queues,
    feeder,
    events: mcpEvents,
    occurrences,
    callback,
    endpointSeq: async (principal, id) => (await endpoints.owned(principal, id)).seq,
    sealer,
    takeChallenge: challenges.take,
    audit: (principal, name, { action, id, endpointId }) =>
      audit.record(
        principal,
        action,
        { type: 'subscription', id },
        { endpointId: endpointId ?? undefined, details: { name } },
      ),
    clock,
    random,
    onError,
  });
  registerQueues({ ...services, store, service, occurrences, callback, isFlooded, onEnded: endOver });
  every(isShared ? sharedEveryMs : ownEveryMs, 'looking for events of subscriptions', feeder.look);
  every(isShared ? sharedEveryMs : ownEveryMs, 'looking for subscriptions that are over', endOver);
  every(forgetEveryMs, 'forgetting callbacks', service.forgetCallbacks);
  return {
    subscriptions: service,
    subscriptionFeeder: feeder,
    endOverSubscriptions: endOver,
    lookForSubscriptions: (): void => {
      endOver();
      feeder.refresh().catch(cause => log.warn('subscriptions could not be read', { cause }));
    },
  };
}

type QueueParts = {
  store: SubscriptionsStore;
  service: SubscriptionsService;
  occurrences: Occurrences;
  callback: Callback;
  isFlooded: () => boolean;
  onEnded: () => void;
};

function registerQueues({ clock, endpoints, events, queues, ...parts }: Services & QueueParts): void {
  const { store, service, occurrences, callback, isFlooded, onEnded } = parts;
  queues.register(
    subscriptionQueue,
    createSubscriptionQueueKind({
      store,
      targetOf: service.openTarget,
      post: callback.post,
      occurrence: occurrences.one,
      oldestKept: async subscription =>
        subscription.endpointId === null || subscription.name === 'alert.changed'
          ? clock.now() - alertChangesKeptMs
          : events.retentionCutoff(subscription, await endpoints.owned(subscription, subscription.endpointId)),
      cursorAt: occurrences.cursorAt,
      clock,
      isFlooded,
      onEnded,
    }),
  );
  queues.register(
    terminationQueue,
    createTerminationQueueKind({
      openTarget: (id, sealed) => service.openTarget({ id, sealed: Buffer.from(sealed) }),
      post: callback.post,
      removeQueue: owner => store.write(queues.removeQueueStatements(terminationQueue, owner)),
    }),
  );
}
