/* What happens to stored events: reading, searching, live streams, retention. All background work is scheduled here. */
import { signBlock } from '../core/blocks/block-signature.ts';
import { createContentReads } from '../core/concurrency/content-reads.ts';
import { createMemoryReservations } from '../core/concurrency/memory-reservations.ts';
import { createSemaphore } from '../core/concurrency/semaphore.ts';
import { createAnswerSlices } from '../core/concurrency/time-slices.ts';
import { type Background, createBackground } from '../db/background.ts';
import type { Describe } from '../db/contents.ts';
import { bucketBits } from '../db/delivery-attempts.ts';
import { createPurge, type Purge } from '../db/purge/purge.ts';
import { createAttemptBucketsStore } from '../features/events/attempt-buckets-store.ts';
import { createAttemptFilters } from '../features/events/attempt-filters.ts';
import { createAttempts } from '../features/events/attempts.ts';
import { createAttemptsStore } from '../features/events/attempts-store.ts';
import { createEventsService, type EventsService } from '../features/events/service.ts';
import { createEventsStore } from '../features/events/store.ts';
import { createFindWay } from '../features/events/way.ts';
import { createWayStore } from '../features/events/way-store.ts';
import type { MetricsService } from '../features/metrics/service.ts';
import { createNotificationsService } from '../features/notifications/service.ts';
import { createNotificationsStore } from '../features/notifications/store.ts';
import { createPackingService } from '../features/packing/service.ts';
import { createPackingStore } from '../features/packing/store.ts';
import { createKeepingService } from '../features/pins-and-tags/service.ts';
import { createKeepingStore } from '../features/pins-and-tags/store.ts';
import { createRetentionService } from '../features/retention/service.ts';
import { createSpaceReclaimer } from '../features/retention/space-reclaimer.ts';
import { createRetentionStore } from '../features/retention/store.ts';
import { createSweepClock } from '../features/retention/sweep-clock.ts';
import { createOldIndexStore } from '../features/search/old-index-store.ts';
import { createRunsStore } from '../features/search/runs-store.ts';
import { createSearchService, type SearchService } from '../features/search/service.ts';
import { createSigningStore } from '../features/search/signing-store.ts';
import { createSearchStore } from '../features/search/store.ts';
import type { CaptureLoad } from '../ingest/capture-rate.ts';
import { insertStatements, packBlocks } from '../ingest/store.ts';
import { toRawDelivery } from '../platforms/engine/raw-delivery.ts';
import { highlightsOf, verify } from '../platforms/platforms.ts';
import type { WiredEndpoints } from './endpoints.ts';
import type { Infrastructure } from './infrastructure.ts';

const streamsPerAccount = 20;
const clockEveryMs = 60_000;
/** Full-rate capture fills a run of signatures in four seconds. */
const searchEveryMs = 2000;
const searchMaintenanceMs = 600_000;
const packEveryMs = 60_000;
/** Memory for large events that are read and sent: body and stored content together. */
const largeEventMemory = { maxPerAccount: 4, totalBytes: 256 << 20, maxWaitMs: 10_000, stalledReaderMs: 5000 };
const reads = { maxPerAccount: 4, maxPerTeam: 8, maxWaiting: 100, maxWaitMs: 10_000 };

type EventsDependencies = WiredEndpoints & {
  infrastructure: Infrastructure;
  metrics: MetricsService;
  captureLoad: CaptureLoad;
  /** Called after events were removed. */
  onRemoved: () => void;
};

export type WiredEvents = ReturnType<typeof wireEvents>;

export function wireEvents(dependencies: EventsDependencies) {
  const { infrastructure, endpoints, verdicts, metrics, captureLoad, onRemoved } = dependencies;
  const { log, clock, database, every, isShared, retentionMs } = infrastructure;
  const background = createBackground({
    isBusy: captureLoad.isWaiting,
    monotonic: clock.monotonic,
    onError: (job, cause) => log.warn('background work failed', { job, cause }),
  });
  const { attemptsStore, attemptsOf } = createAttemptStores(infrastructure, background);
  const memory = createMemoryReservations({ ...largeEventMemory, monotonic: clock.monotonic });
  const contentReads = createContentReads({ ...reads, memory });
  const search = createSearchService({
    store: createSearchStore(database.scanClient, attemptsOf),
    runs: createRunsStore(database.client, database.scanClient),
    signing: createSigningStore(database.client, database.scanClient),
    oldIndex: createOldIndexStore(database.client),
    addJob: background.add,
    monotonic: clock.monotonic,
    // A slice holds the writer: under load that delays deliveries even when none waits at this moment.
    isBusy: () => captureLoad.isWaiting() || captureLoad.isHigh(),
    indexed: infrastructure.searchIndexed,
    now: clock.now,
    verify: verdicts.verify,
    contentReads,
    ...infrastructure.searchLimits,
  });
  every(searchMaintenanceMs, 'waking the maintenance of the search index', search.wakeForMaintenance);
  every(searchEveryMs, 'waking the search index', search.wake);
  const createSlices = createAnswerSlices({ monotonic: clock.monotonic, isCaptureHigh: captureLoad.isHigh });
  const events = createEventsService({
    store: createEventsStore(database.db, database.scanDb, { highlightsOf, isSigned }),
    attemptsStore,
    findWay: createFindWay({ store: createWayStore(database.db) }),
    clock,
    endpoint: endpoints.owned,
    verdicts,
    search,
    retentionMs,
    createSlices,
    contentReads,
    isUnfiled: seq => infrastructure.journal?.isUnfiled(seq) ?? false,
    isShared,
    onRemoved,
  });
  const packing = createPacking(infrastructure, background, captureLoad);
  const { notifications, ...access } = createNotifications(infrastructure, { endpoints, events, search });
  const keeping = createKeepingService({
    store: createKeepingStore(database),
    clock,
    events,
    onUnpinned: () => retention.retention.wake(),
    onChanged: change => {
      events.forgetRemoved();
      notifications.changed(change);
    },
  });
  const purge = createDatabasePurge(infrastructure, background);
  const retention = createRetention(infrastructure, {
    background,
    isPurging: () => purge?.isRunning() ?? false,
    isBusy: captureLoad.isWaiting,
    removeTeam: endpoints.removeTeam,
    onSwept: swept => {
      events.forgetRemoved();
      metrics.swept(swept);
    },
  });
  infrastructure.journal?.whenHealed(notifications.lookAgain);
  return {
    background,
    keeping,
    search,
    createSlices,
    contentReads,
    reserveMemory: memory.reserve,
    events,
    notifications,
    packing,
    purge,
    ...access,
    ...retention,
  };
}

function createNotifications(
  { log, clock, database, isShared, journal }: Infrastructure,
  { endpoints, events, search }: Pick<WiredEndpoints, 'endpoints'> & { events: EventsService; search: SearchService },
) {
  const others = isShared ? createNotificationsStore(database.db) : undefined;
  let telling = Promise.resolve();
  return {
    notifications: createNotificationsService({
      clock,
      endpoint: endpoints.owned,
      events,
      createEventFilter: search.createEventFilter,
      selectForEach: search.selectForEach,
      streamSemaphore: createSemaphore(streamsPerAccount),
      look: others?.look,
      areAllStored: journal?.areAllFiled,
    }),
    /** Lets other processes on the database check all access again. */
    tellAccessEnded(): void {
      telling = Promise.all([telling, others?.markAccessEnded()]).then(
        () => {},
        (cause: unknown) => log.warn('could not tell other processes that access ended', { cause }),
      );
    },
    /** Call it before the database closes. */
    toldAccessEnded: (): Promise<void> => telling,
  };
}

function createPacking({ database, clock, every }: Infrastructure, background: Background, captureLoad: CaptureLoad) {
  const packing = createPackingService({
    store: createPackingStore(database, (endpoint, blocks) => insertStatements(packBlocks(endpoint, blocks))),
    sign: signBlock,
    monotonic: clock.monotonic,
    isBusy: () => captureLoad.isWaiting() || captureLoad.isHigh(),
    background,
  });
  every(packEveryMs, 'waking the packer', packing.wake);
  return packing;
}

/** Undefined for a libSQL server, whose files are its operator's. */
function createDatabasePurge({ database, journal }: Infrastructure, background: Background): Purge | undefined {
  const { maintenance, file } = database;
  return maintenance && file !== undefined
    ? createPurge({ maintenance, file, background, renewJournal: async () => journal?.renew() })
    : undefined;
}

/** Without secrets, what carries a signature is unchecked. */
const isSigned: Describe['isSigned'] = ({ platform, method }, content) =>
  verify({
    delivery: toRawDelivery({ method, ...content }),
    platform,
    secrets: [],
    receivedAt: 0,
    urls: [],
  }) !== null;

/** What finds attempts on either thread, with the same filters. */
function createAttemptStores({ database, direct }: Infrastructure, background: Background) {
  const filters = createAttemptFilters({
    store: createAttemptBucketsStore(direct.scanClient),
    addJob: background.add,
    bucketBits,
  });
  return {
    attemptsStore: createAttemptsStore(database.db, filters),
    attemptsOf: createAttempts(createAttemptsStore(database.scanDb, filters)).attemptsOf,
  };
}

type RetentionDependencies = {
  background: ReturnType<typeof createBackground>;
  isBusy: () => boolean;
  isPurging: () => boolean;
  removeTeam: (teamId: string) => Promise<void>;
  onSwept: (events: number) => void;
};

function createRetention(
  { config, log, clock, every, database, direct, retentionMs }: Infrastructure,
  { background, isBusy, isPurging, removeTeam, onSwept }: RetentionDependencies,
) {
  const store = createRetentionStore(database);
  const sweepClock = createSweepClock({
    clock,
    store: createRetentionStore(direct),
    onJump: aheadMs =>
      log.warn(
        'the system clock is ahead of where it was expected; expired events are removed by the expected time for one hour. Set the clock if it is wrong. After a long stop of the server nothing is wrong',
        { aheadSeconds: Math.round(aheadMs / 1000) },
      ),
    onTrusted: () => log.info('the system clock is trusted again; expired events are removed by it'),
  });
  const retention = createRetentionService({
    store,
    clock: sweepClock,
    retentionMs,
    background,
    reclaimSpace:
      database.maintenance &&
      createSpaceReclaimer({ maintenance: database.maintenance, isBusy, isPaused: isPurging }).slice,
    removeTeam,
    onSwept: swept => {
      onSwept(swept);
      log.info('events past their window or of deleted endpoints were removed', { events: swept });
    },
  });
  every(config.sweepEveryMs, 'waking the sweeper', retention.wake);
  every(clockEveryMs, 'checking the system clock', sweepClock.watch);
  return { retention, sweepClock };
}
