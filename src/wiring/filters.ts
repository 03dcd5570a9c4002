/* Saved filters, trying filters out, and counting and deleting the events that one matches. */
import { pause } from '../core/concurrency/time-slices.ts';
import { createCountingService } from '../features/filters/counting.ts';
import { createDeletionService } from '../features/filters/deletion.ts';
import { createFiltersService } from '../features/filters/service.ts';
import { createFiltersStore } from '../features/filters/store.ts';
import { createRetentionStore } from '../features/retention/store.ts';
import type { CoreServices } from './core.ts';

/** How long a slice of a deletion waits at most for deliveries to be committed. */
const maxPauseMs = 50;

export function wireFilters(core: CoreServices) {
  const { clock, random, database, endpoints, events, search, retention, captureLoad } = core;
  const filters = createFiltersService({
    store: createFiltersStore(database.db),
    clock,
    random,
    endpoint: endpoints.owned,
    newest: async (reader, endpointId, limit) =>
      (await events.list(reader, { endpointId, limit: String(limit) }, reader.signal)).events,
    explain: search.explain,
    find: search.find,
    retentionCutoff: events.retentionCutoff,
  });
  const counting = createCountingService({
    endpoint: endpoints.owned,
    retentionCutoff: events.retentionCutoff,
    find: search.find,
    monotonic: clock.monotonic,
  });
  const deletion = createDeletionService({
    endpoint: endpoints.owned,
    retentionCutoff: events.retentionCutoff,
    find: search.find,
    remove: createRetentionStore(database).remove,
    pauseForCapture: async () => {
      const until = clock.monotonic() + maxPauseMs;
      do await pause(0);
      while (captureLoad.isWaiting() && clock.monotonic() < until);
    },
    onDeleted: () => {
      events.forgetRemoved();
      retention.wake();
    },
  });
  return { filters, counting, deletion };
}
