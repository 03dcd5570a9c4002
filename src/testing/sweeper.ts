/* A sweeper on a real database that a test runs slice by slice. Stop the server's own background work first. */
import type { RetentionMs } from '../core/events/retention.ts';
import { createRetentionService } from '../features/retention/service.ts';
import { createRetentionStore, type RetentionStore } from '../features/retention/store.ts';
import type { TestServer } from './test-server.ts';

/** @param around wraps the store */
export function createTestSweeper(
  { services }: TestServer,
  { now, retentionMs }: { now: () => number; retentionMs: RetentionMs },
  around: (store: RetentionStore) => RetentionStore = store => store,
) {
  let slice: () => Promise<unknown> = async () => 'done';
  createRetentionService({
    store: around(createRetentionStore(services.database)),
    clock: { now },
    retentionMs,
    background: {
      add: job => {
        slice = job.slice;
        return { wake: () => {} };
      },
    },
    reclaimSpace: undefined,
    removeTeam: async () => {},
    onSwept: () => {},
  });
  return {
    slice: () => slice(),
    run: async (): Promise<void> => {
      for (let slices = 0; (await slice()) !== 'done'; slices++) if (slices > 5000) throw new Error('it does not end');
    },
  };
}
