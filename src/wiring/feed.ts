/* The feed of an endpoint, and its consumers. */

import type { ContentReads } from '../core/concurrency/content-reads.ts';
import { createSemaphore } from '../core/concurrency/semaphore.ts';
import type { CreateSlices } from '../core/concurrency/time-slices.ts';
import { parseWhere } from '../core/where.ts';
import { createConsumersService } from '../features/consumers/service.ts';
import { createConsumersStore } from '../features/consumers/store.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import { createFeedContent } from '../features/feed/content.ts';
import { createFeedService } from '../features/feed/service.ts';
import { createFeedStore } from '../features/feed/store.ts';
import type { NotificationsService } from '../features/notifications/service.ts';
import type { SearchService } from '../features/search/service.ts';
import type { Infrastructure } from './infrastructure.ts';

/** The most waiting calls of one account. Each holds a connection and a kilobyte. */
const waitsPerAccount = 256;

type FeedDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  events: EventsService;
  search: SearchService;
  notifications: NotificationsService;
  createSlices: CreateSlices;
  contentReads: ContentReads;
};

export function wireFeed(dependencies: FeedDependencies) {
  const { infrastructure, endpoints, events, search, notifications, createSlices, contentReads } = dependencies;
  const { clock, random, database } = infrastructure;
  const store = createFeedStore(database);
  const feed = createFeedService({
    store,
    clock,
    endpoint: endpoints.owned,
    events,
    openTail: notifications.openTail,
    filterOf: where => {
      const filter = parseWhere(where);
      if (filter.root === undefined) return undefined;
      return (endpoint, seqs, reader) => search.createEventFilter(filter, endpoint, reader).select(seqs);
    },
    readContent: createFeedContent({ store, createSlices, contentReads }),
    waitSemaphore: createSemaphore(waitsPerAccount),
  });
  const consumers = createConsumersService({
    store: createConsumersStore(database),
    clock,
    random,
    endpoint: endpoints.owned,
    retentionCutoff: events.retentionCutoff,
  });
  return { feed, consumers, lastSeq: store.lastSeq };
}
