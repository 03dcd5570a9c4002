/* Search put together: what the house needs of it, and nothing of how it is done. */
import type { Client } from '@libsql/client';
import type { Background } from '../../db/background.ts';
import { createIndexer } from './indexer.ts';
import { createRecent } from './recent.ts';
import { checkTerm, createSearchService } from './service.ts';
import { createSearchStore } from './store.ts';
import { signEvent } from './texts.ts';
import { createUpkeep } from './upkeep.ts';

export type SearchFeature = ReturnType<typeof createSearch>;

export function createSearch(options: {
  client: Client;
  /** For reads of any length. */
  scanClient: Client;
  background: Background;
  monotonic: () => number;
  /** Whether deliveries are waiting for their commit. */
  busy: () => boolean;
  /** false: no index is kept, and searches read the events themselves. */
  indexed: boolean;
}) {
  const { client, scanClient, background, monotonic, busy, indexed } = options;
  const store = createSearchStore(client, scanClient);
  const recent = createRecent();
  const indexer = createIndexer({ store, monotonic, busy, onIndexed: recent.forget });
  const { wake } = background.add({ name: 'search index', slice: indexer.slice });
  // What an earlier process left undone.
  if (indexed) wake();

  return {
    checkTerm,
    ...createSearchService({ store, recent, monotonic, indexed }),
    ...createUpkeep({ store, indexer, wake }),

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
