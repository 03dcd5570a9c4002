/* The services for requests that other services for requests use. */
import { createQueuesService } from '../features/queues/service.ts';
import { createQueuesStore } from '../features/queues/store.ts';
import type { CoreServices } from './core.ts';
import { wireFeed } from './feed.ts';
import { wireMcpEvents } from './mcp-events.ts';
import { wireMcpSubscriptions } from './mcp-subscriptions.ts';
import { wireReplays } from './replays.ts';

export type SharedServices = ReturnType<typeof wireShared>;

export function wireShared(core: CoreServices) {
  const queues = createQueues(core);
  const parts = { ...core, queues, ...wireFeed(core), ...wireReplays(core) };
  const events = { ...parts, ...wireMcpEvents(parts) };
  return { ...events, ...wireMcpSubscriptions(events) };
}

/** The runner of durable queues, which replay jobs, forwards and alerts share. */
function createQueues({ direct, clock, random, isShared, overrides, onError, captureLoad }: CoreServices) {
  return createQueuesService({
    store: createQueuesStore(direct),
    holder: Buffer.from(random(12)).toString('hex'),
    clock,
    isShared,
    isBusy: captureLoad.isWaiting,
    recentDeliveries: captureLoad.recent,
    ...(overrides.queuePlaces && { places: overrides.queuePlaces }),
    onError,
  });
}
