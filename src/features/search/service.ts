/* Search put together: what the house needs of it, and nothing of how it is done. */
import { checkTerm, createFinder } from './finder.ts';
import { createIndexer } from './indexer.ts';
import { createRecent } from './recent.ts';
import type { SearchStore } from './store.ts';
import { signEvent } from './texts.ts';
import { createUpkeep } from './upkeep.ts';

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService(options: {
  store: SearchStore;
  /** Registers background work, to be woken when there is some. */
  addJob: (job: { name: string; slice: () => Promise<'more' | 'done'> }) => { wake: () => void };
  monotonic: () => number;
  /** Whether deliveries are waiting for their commit. */
  busy: () => boolean;
  /** false: no index is kept, and searches read the events themselves. */
  indexed: boolean;
}) {
  const { store, addJob, monotonic, busy, indexed } = options;
  const recent = createRecent();
  const indexer = createIndexer({ store, monotonic, busy, onIndexed: recent.forget });
  const { wake } = addJob({ name: 'search index', slice: indexer.slice });
  // What an earlier process left undone.
  if (indexed) wake();

  return {
    checkTerm,
    ...createFinder({ store, recent, monotonic, indexed }),
    ...createUpkeep({ store, indexer, wake }),

    /** There are events that capture did not tell of. */
    wake(): void {
      if (indexed) wake();
    },

    /** To be told of every event that was stored, before its sender is. */
    recorded(
      event: { seq: number; endpoint: number; receivedAt: number; eventType: string | null },
      body: Uint8Array,
    ): void {
      if (!indexed) return;
      recent.add(event, (words, offset) => signEvent(words, offset, event.eventType, body));
      wake();
    },
  };
}
