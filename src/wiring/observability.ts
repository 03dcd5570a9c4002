/* Metrics, readiness, health probes and disk space. */
import { databaseBytes, diskSpace } from '../db/files/disk-space.ts';
import { checkWritable } from '../db/write-check.ts';
import { createMetricsService } from '../features/metrics/service.ts';
import type { Gate } from '../http/gate.ts';
import { createAnswerProbe } from '../http/health.ts';
import { createReadiness } from '../http/readiness.ts';
import type { Infrastructure } from './infrastructure.ts';

const diskEveryMs = 15_000;
const loopLagEveryMs = 500;

/** Services whose current values are read at each scrape. They are built later. */
export type MeasuredServices = {
  capture: { depth: () => number };
  notifications: { openStreams: () => number };
  search: { lag: () => Promise<number | undefined> };
  replayJobs: { jobs: (state: 'running' | 'paused') => Promise<number>; waiting: () => Promise<number> };
  countFiringAlerts: () => Promise<number>;
  /** Undefined without a continuous backup. */
  backupAgeS: (() => Promise<number | undefined>) | undefined;
  forwards: { items: () => Promise<{ open: number; givenUp: number }>; probing: () => Promise<number> };
};

export function wireObservability({
  infrastructure: { direct, journal, clock, log, version, usage, every, backsUp, tunnel },
  gate,
  measured,
}: {
  infrastructure: Infrastructure;
  gate: Gate;
  measured: () => MeasuredServices;
}) {
  const { file, db } = direct;
  const space = file === undefined ? undefined : () => diskSpace(file);
  const readiness = createReadiness({
    checkWritable: async () => {
      await checkWritable(db);
      await journal?.checkWritable();
    },
    storageProblem: () => journal?.failure() && 'stored deliveries cannot be moved into the database',
    writeProblem: direct.writeProblem,
    diskSpace: space,
    monotonic: clock.monotonic,
    log,
  });
  const metrics = createMetricsService({
    version,
    startedAt: clock.now(),
    levels: {
      queueDepth: () => measured().capture.depth(),
      writerDepth: direct.writeQueueDepth,
      busyIncidents: direct.busyIncidents,
      liveStreams: () => measured().notifications.openStreams(),
      forwards: { items: () => measured().forwards.items(), probing: () => measured().forwards.probing() },
      indexLag: () => measured().search.lag(),
      replayJobs: {
        jobs: state => measured().replayJobs.jobs(state),
        waiting: () => measured().replayJobs.waiting(),
      },
      usage,
      firingAlerts: () => measured().countFiringAlerts(),
      databaseBytes: file === undefined ? undefined : () => databaseBytes(file),
      journal: journal?.backlog,
      backupAgeS: backsUp ? async () => measured().backupAgeS?.() : undefined,
      diskFreeBytes: space && (async () => (await space()).freeBytes),
    },
  });

  every(diskEveryMs, 'checking the disk', async () => void (await readiness.checkDisk()));
  let lagFrom: number | undefined;
  every(loopLagEveryMs, 'measuring the event loop', () => {
    const now = clock.monotonic();
    if (lagFrom !== undefined) metrics.eventLoopLag(now - lagFrom - loopLagEveryMs);
    lagFrom = now;
  });
  return { readiness, metrics, answerProbe: createAnswerProbe({ gate, readiness, metrics, clock, tunnel }) };
}
