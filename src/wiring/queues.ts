/* The runner of durable queues, which replay jobs, forwards and alerts use. */
import { createQueuesService } from '../features/queues/service.ts';
import { createQueuesStore } from '../features/queues/store.ts';
import type { EndpointsWiring } from './endpoints.ts';
import type { CaptureLoad, EventsWiring } from './events.ts';
import type { FeedWiring } from './feed.ts';
import type { HistoryWiring } from './history.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { ObservabilityWiring } from './observability.ts';
import type { SchemasWiring } from './schemas.ts';

export function createQueuesWiring(
  { direct, clock, random, isShared, overrides, onError }: Infrastructure,
  { isWaiting, recent }: CaptureLoad,
) {
  const queues = createQueuesService({
    store: createQueuesStore(direct),
    holder: Buffer.from(random(12)).toString('hex'),
    clock,
    isShared,
    isBusy: isWaiting,
    recentDeliveries: recent,
    ...(overrides.queuePlaces && { places: overrides.queuePlaces }),
    onError,
  });
  return { queues };
}

export type QueuesWiring = ReturnType<typeof createQueuesWiring>;

/** The results of earlier steps, for everything that sends through queues. */
export type DeliveringDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsWiring;
  events: EventsWiring;
  observability: ObservabilityWiring;
  feed: FeedWiring;
  history: HistoryWiring;
  schemas: SchemasWiring;
  captureLoad: CaptureLoad;
};
export type QueuesDependency = { queues: QueuesWiring };
