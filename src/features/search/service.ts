/* Search put together: what the server needs of it, and nothing of how it is done. */
import { checkTerm, createFinder } from './finder.ts';
import { createIndexer, type Indexer } from './indexer.ts';
import { createUpkeep } from './maintenance.ts';
import { type Captured, createRecent } from './recent.ts';
import type { SearchStore } from './store.ts';

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService(options: {
  store: SearchStore;
  /** Registers background work, to be woken when there is some. */
  addJob: (job: { name: string; slice: Indexer['slice'] }) => { wake: () => void };
  monotonic: () => number;
  /** Whether deliveries are waiting for their commit. */
  busy: () => boolean;
  /** false: no index is kept, and searches read the events themselves. */
  indexed: boolean;
  /** Up to so many events are looked at without the index (finder.ts). */
  nearby?: number | undefined;
}) {
  const { store, addJob, monotonic, busy, indexed, nearby = 256 } = options;
  const recent = createRecent();
  const indexer = createIndexer({ store, monotonic, busy, onIndexed: recent.forget });
  const { wake } = addJob({ name: 'search index', slice: indexer.slice });
  // What an earlier process left undone.
  if (indexed) wake();

  return {
    checkTerm,
    ...createFinder({ store, recent, monotonic, indexed, nearby }),
    ...createUpkeep({ store, indexer, wake }),

    /** How many row numbers the index is behind the newest event; undefined without an index. */
    async lag(): Promise<number | undefined> {
      if (!indexed) return undefined;
      const { watermark, last } = await store.progress();
      return Math.max(0, last - watermark);
    },

    /** There are events that capture did not tell of. */
    wake(): void {
      if (indexed) wake();
    },

    /** To be told of stored events before their senders are, see recent.ts; undefined without an index. */
    recorded: indexed
      ? (events: readonly Captured[], signatures: Uint32Array): void => {
          recent.add(events, signatures);
          wake();
        }
      : undefined,
  };
}
