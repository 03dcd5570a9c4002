/* How the program is: what it counts, whether it is ready, what is left of its disk. */
import { databaseBytes, diskSpace } from '../db/files/disk-space.ts';
import { createMetricsService } from '../features/metrics/service.ts';
import { createReadiness } from '../http/readiness.ts';
import type { Infrastructure } from './infrastructure.ts';

const diskEveryMs = 15_000;
const loopLagEveryMs = 500;

export type Observability = ReturnType<typeof createObservability>;

/** What is asked for its level at each scrape; built after this. */
type Watched = {
  capture: { depth: () => number };
  notifications: { openStreams: () => number };
  search: { lag: () => Promise<number | undefined> };
};

export function createObservability(
  { database, clock, log, version, usage, every }: Infrastructure,
  watched: () => Watched,
) {
  const { file, client } = database;
  const space = file === undefined ? undefined : () => diskSpace(file);
  const readiness = createReadiness({
    checkWritable: async () => {
      // Something new each time: SQLite leaves a row alone that would stay as it is, and nothing would have been tried.
      await client.batch(
        [
          `INSERT INTO meta (name, value) VALUES ('write-check', randomblob(8))
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        ],
        'write',
      );
    },
    diskSpace: space,
    monotonic: clock.monotonic,
    log,
  });
  const metrics = createMetricsService({
    version,
    startedAt: clock.now(),
    levels: {
      queueDepth: () => watched().capture.depth(),
      writerDepth: database.writeQueueDepth,
      busyIncidents: database.busyIncidents,
      liveStreams: () => watched().notifications.openStreams(),
      indexLag: () => watched().search.lag(),
      usage,
      databaseBytes: file === undefined ? undefined : () => databaseBytes(file),
      diskFreeBytes: space && (async () => (await space()).freeBytes),
    },
  });

  every(diskEveryMs, 'looking at the disk', async () => void (await readiness.checkDisk()));
  let lagFrom = clock.monotonic();
  every(loopLagEveryMs, 'measuring the event loop', () => {
    const now = clock.monotonic();
    metrics.eventLoopLag(now - lagFrom - loopLagEveryMs);
    lagFrom = now;
  });
  return { readiness, metrics };
}
