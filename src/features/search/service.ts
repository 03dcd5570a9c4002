/* Search: finding events, and keeping the index behind it up to date in the background. */
import { checkTerm, createFinder } from './finder.ts';
import { createIndexMaintenance } from './index-maintenance.ts';
import { createIndexer, type Indexer } from './indexer.ts';
import { type CapturedEvent, createRecentEvents } from './recent-events.ts';
import type { SearchStore } from './store.ts';

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService(options: {
  store: SearchStore;
  /** Registers a background job, which `wake` starts. */
  addJob: (job: { name: string; slice: Indexer['slice'] }) => { wake: () => void };
  monotonic: () => number;
  /** Whether deliveries are waiting for their commit. */
  isBusy: () => boolean;
  /** false: there is no index, and searches read the events. */
  indexed: boolean;
  /** Up to this many events are read without the index (finder.ts). */
  nearby?: number | undefined;
}) {
  const { store, addJob, monotonic, isBusy, indexed, nearby = 256 } = options;
  const recent = createRecentEvents();
  const indexer = createIndexer({ store, monotonic, isBusy, onIndexed: recent.dropUpTo });
  const { wake } = addJob({ name: 'search index', slice: indexer.slice });

  return {
    checkTerm,
    ...createFinder({ store, recent, monotonic, indexed, nearby }),
    ...createIndexMaintenance({ store, indexer, wake }),

    /** How many row numbers the index is behind the newest event; undefined if there is no index. */
    async lag(): Promise<number | undefined> {
      if (!indexed) return undefined;
      const { watermark, last } = await store.progress();
      return Math.max(0, last - watermark);
    },

    /** To be called after events were stored that `recorded` was not told of. */
    wake(): void {
      if (indexed) wake();
    },

    /** Takes stored events before their senders are answered (recent-events.ts); undefined if there is no index. */
    recorded: indexed
      ? (events: readonly CapturedEvent[], signatures: Uint32Array): void => {
          recent.add(events, signatures);
          wake();
        }
      : undefined,
  };
}
