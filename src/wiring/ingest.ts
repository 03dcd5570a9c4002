/* From the ingest address to disk, what happens to an event afterwards, and reading it. */

import { createSlots } from '../core/concurrency/slots.ts';
import { createMemorySlots } from '../core/memory-slots.ts';
import { createStreamPace, realRest } from '../core/stream-pace.ts';
import { createBackground } from '../db/background.ts';
import { createEventsService } from '../features/events/service.ts';
import { createEventsStore } from '../features/events/store.ts';
import { createNotificationsService } from '../features/notifications/service.ts';
import { createRetentionService } from '../features/retention/service.ts';
import { createSpaceReclaimer } from '../features/retention/space-reclaimer.ts';
import { createRetentionStore } from '../features/retention/store.ts';
import { createSweepClock } from '../features/retention/sweep-clock.ts';
import { createSearchService } from '../features/search/service.ts';
import { createSearchStore } from '../features/search/store.ts';
import { createClientAddress } from '../http/client-address.ts';
import { createCaptureService } from '../ingest/capture.ts';
import { createCaptureRate } from '../ingest/capture-rate.ts';
import { createDeliveryBudgets, maxHeldBytes } from '../ingest/delivery-budgets.ts';
import { createIngest } from '../ingest/ingest.ts';
import { createCaptureStore } from '../ingest/store.ts';
import type { Endpoints } from './endpoints.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Observability } from './observability.ts';
import { remoteBatchLimits, threadBatchLimits, writeDirectly, writeInThread } from './write-dispatch.ts';

const streamsPerAccount = 20;
const clockEveryMs = 60_000;
/** Being shown, body and stored content together. */
const largeEvents = { perHolder: 4, totalBytes: 256 << 20, patienceMs: 10_000, stalledMs: 5000 };

export type IngestWiring = ReturnType<typeof createIngestWiring>;

export function createIngestWiring(
  infrastructure: Infrastructure,
  { registry, endpoints, secrets, verdicts }: Endpoints,
  { metrics }: Observability,
) {
  const { config, log, clock, random, every, database, isShared, retentionMs, onError } = infrastructure;

  const activity = createCaptureRate(clock.monotonic);
  const turns = createStreamPace({ monotonic: clock.monotonic, isCaptureHigh: activity.isHigh, rest: realRest });
  const captureStore = createCaptureStore(statements => database.client.batch(statements, 'write'));
  const busy = (): boolean => capture.depth() > 0;
  const background = createBackground({
    isBusy: busy,
    monotonic: clock.monotonic,
    onError: (job, cause) => log.warn('background work failed', { job, cause }),
  });
  const retentionStore = createRetentionStore(database);
  const sweepClock = createSweepClock({
    clock,
    store: retentionStore,
    onJump: aheadMs =>
      log.warn(
        'the system clock is ahead of where it was expected; expired events are removed by the expected time for one hour. Set the clock if it is wrong. After a long stop of the server nothing is wrong',
        { aheadSeconds: Math.round(aheadMs / 1000) },
      ),
    onTrusted: () => log.info('the system clock is trusted again; expired events are removed by it'),
  });
  const retention = createRetentionService({
    store: retentionStore,
    clock: sweepClock,
    retentionMs,
    background,
    reclaimSpace:
      database.maintenance && createSpaceReclaimer({ maintenance: database.maintenance, isBusy: busy }).slice,
    removeTeam: endpoints.removeTeam,
    onSwept: swept => {
      metrics.swept(swept);
      log.info('events past their window or of deleted endpoints were removed', { events: swept });
    },
  });
  every(config.sweepEveryMs, 'waking the sweeper', retention.wake);
  every(clockEveryMs, 'watching the clock', sweepClock.watch);

  const search = createSearchService({
    store: createSearchStore(database.client, database.scanClient),
    addJob: background.add,
    monotonic: clock.monotonic,
    // A slice holds the writer: while much is captured it is felt, whether or not anything waits at that moment.
    isBusy: () => busy() || activity.isHigh(),
    indexed: infrastructure.searchIndexed,
    nearby: infrastructure.searchNearby,
  });
  const largeEventSlots = createMemorySlots({ ...largeEvents, monotonic: clock.monotonic });
  const events = createEventsService({
    store: createEventsStore(database.db),
    clock,
    endpoint: endpoints.owned,
    verdicts,
    search,
    retentionMs,
    turns,
    slots: largeEventSlots,
  });
  const notifications = createNotificationsService({
    clock,
    endpoint: endpoints.owned,
    events,
    streamSlots: createSlots(streamsPerAccount),
    isShared,
  });
  const { runWriterJob } = database;
  const capture = createCaptureService({
    writeBatch: runWriterJob ? writeInThread(runWriterJob) : writeDirectly(captureStore),
    ...(runWriterJob ? threadBatchLimits : remoteBatchLimits),
    // Large deliveries that wait for their commit leave the small ones their place.
    maxQueuedBytes: maxHeldBytes(config.maxBodyBytes),
    random,
    destinationOf: ({ seq, token }) => ({ seq, url: endpoints.urlOf(token), secrets: secrets.secretsOf(seq) }),
    saveLearnedSecret: secrets.learn,
    onStored: notifications.recorded,
    onSigned: search.recorded,
    onCommit: (rows, durationMs) => {
      activity.stored(rows);
      metrics.commit(rows, durationMs);
    },
    onFailure: (cause, refused) => log.error('deliveries could not be stored', { refused, cause }),
    onError: error => onError(error),
  });

  const clientAddress = createClientAddress(config.trustedProxies);
  // Only a delivery of which something has to be said gets an id, which none of the app's requests has.
  let failedDeliveries = 0;
  const ingest = createIngest({
    capture,
    findEndpoint: registry.find,
    clientAddress,
    maxBodyBytes: config.maxBodyBytes,
    budgets: createDeliveryBudgets(config.maxBodyBytes),
    clock,
    onResult: metrics.delivery,
    onError: error => onError(error, { requestId: `in-${(++failedDeliveries).toString(36)}` }),
  });
  return {
    activity,
    turns,
    captureStore,
    background,
    retention,
    sweepClock,
    search,
    largeEventSlots,
    events,
    notifications,
    capture,
    clientAddress,
    ingest,
  };
}
