/* The feed of an endpoint, and its consumers. */
import { createSemaphore } from '../core/concurrency/semaphore.ts';
import { parseWhere } from '../core/where.ts';
import { createConsumersService } from '../features/consumers/service.ts';
import { createConsumersStore } from '../features/consumers/store.ts';
import { createFeedContent } from '../features/feed/content.ts';
import { createFeedService } from '../features/feed/service.ts';
import { createFeedStore } from '../features/feed/store.ts';
import type { CoreServices } from './core.ts';

/** The most waiting calls of one account. Each holds a connection and a kilobyte. */
const waitsPerAccount = 256;

export function wireFeed(core: CoreServices) {
  const { clock, random, database, endpoints, events, search, notifications, createSlices, contentReads } = core;
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
