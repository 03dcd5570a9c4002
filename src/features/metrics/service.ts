/*
 * The metrics of `/metrics`, for Prometheus. Code that counts something calls a function of this service; current levels are read at
 * each scrape. Label values come from closed lists, so no client can make the number of series grow.
 */

import type { LabelValues } from 'prom-client';
// The index of prom-client would also load a push gateway, cluster support and OpenTelemetry: 7 ms of every start.
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { SignInResult, SignInWay } from '../../core/access/sign-in.ts';
import type { AlertChannelType } from '../../shared/alerts.ts';

const deliveryResults = ['stored', 'unknown', 'paused', 'guarded', 'too_large', 'refused', 'aborted'] as const;
export type DeliveryResult = (typeof deliveryResults)[number];

/** An answered request. `route` is the template (`/api/events/:id`), never the path. */
export type AnsweredRequest = { route: string; method: string; status: number; durationMs: number };

/** Read at each scrape. A level that is undefined, or returns undefined, is left out. */
export type Levels = {
  /** Deliveries waiting for their commit, or in one. */
  queueDepth: () => number;
  /** Statements of the writer that have not finished. */
  writerDepth: () => number;
  /** SQLITE_BUSY incidents since the start. */
  busyIncidents: () => number;
  liveStreams: () => number;
  usage: () => { residentBytes: number; cpuSeconds: number };
  /** Deliveries that are acknowledged and not rows yet. */
  journal?: (() => { rows: number; bytes: number; ageMs: number }) | undefined;
  /** Alerts whose last notification reported that they fired. */
  firingAlerts?: (() => Promise<number>) | undefined;
  databaseBytes?: (() => Promise<number | undefined>) | undefined;
  diskFreeBytes?: (() => Promise<number | undefined>) | undefined;
  /** Stored events that have no search signature yet. */
  /** The events that wait for a forward, the events that were given up, and the forwards whose destination is down. */
  forwards?: { items: () => Promise<{ open: number; givenUp: number }>; probing: () => Promise<number> } | undefined;
  indexLag?: (() => number | Promise<number | undefined> | undefined) | undefined;
  replayJobs?: ReplayJobLevels | undefined;
  backupAgeS?: (() => Promise<number | undefined>) | undefined;
};

type ReplayJobLevels = {
  jobs: (state: 'running' | 'paused') => Promise<number>;
  /** Events of running jobs that are not settled yet. */
  waiting: () => Promise<number>;
};

export type MetricsService = ReturnType<typeof createMetricsService>;

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const rowCounts = [1, 2, 4, 8, 16, 32, 64, 128];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

type ReadLevel = () => number | Promise<number | undefined> | undefined;

function createInstruments(registry: Registry) {
  const registers = [registry];
  return {
    counter: <T extends string>(name: string, help: string, ...labelNames: T[]) =>
      new Counter<T>({ name, help, labelNames, registers }),
    histogram: <T extends string>(name: string, help: string, buckets: number[], ...labelNames: T[]) =>
      new Histogram<T>({ name, help, buckets, labelNames, registers }),
    /**
     * A gauge that is read at each scrape. A gauge whose read fails is left out of that scrape and does not affect the others.
     */
    level: (name: string, help: string, read: ReadLevel | undefined) =>
      read &&
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.remove();
          const value = await Promise.resolve()
            .then(read)
            .catch(() => undefined);
          if (value !== undefined) this.set(value);
        },
      }),
    /** A counter whose total is kept elsewhere. */
    total: (name: string, help: string, read: () => number) =>
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    constant: (name: string, help: string, labels: Record<string, string>) =>
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, 1),
  };
}

type Instruments = ReturnType<typeof createInstruments>;

function registerLevels({ level, total }: Instruments, levels: Levels, startedAt: number): void {
  level('hooktape_queue_depth', 'Deliveries waiting for their commit', levels.queueDepth);
  level('hooktape_writer_depth', 'Statements sent to the writer and not answered yet', levels.writerDepth);
  level('hooktape_live_streams', 'Open live streams', levels.liveStreams);
  const { journal } = levels;
  level('hooktape_journal_events', 'Deliveries in the capture journal only', journal && (() => journal().rows));
  level('hooktape_journal_bytes', 'Their size', journal && (() => journal().bytes));
  level('hooktape_journal_seconds', 'Age of the oldest of them', journal && (() => journal().ageMs / 1000));
  level('hooktape_alerts_firing', 'Alerts that are firing', levels.firingAlerts);
  level('hooktape_database_bytes', 'Size of the database on disk, log included', levels.databaseBytes);
  level('hooktape_disk_free_bytes', 'Space left where the database is', levels.diskFreeBytes);
  level(
    'hooktape_backup_age_seconds',
    'Age of the oldest change that is not in the object store of the backup; 0: there is none',
    levels.backupAgeS,
  );
  level(
    'hooktape_index_lag_events',
    'Events without a search signature: rows of 1.0 that are not packed into blocks yet',
    levels.indexLag,
  );
  const { replayJobs } = levels;
  level('hooktape_replay_jobs_running', 'Replay jobs that run', replayJobs && (() => replayJobs.jobs('running')));
  level('hooktape_replay_jobs_paused', 'Replay jobs that are paused', replayJobs && (() => replayJobs.jobs('paused')));
  level('hooktape_replay_job_events_waiting', 'Events of running replay jobs still to be sent', replayJobs?.waiting);
  const { forwards } = levels;
  level(
    'hooktape_forward_waiting_events',
    'Events that forwards have not delivered yet',
    forwards && (async () => (await forwards.items()).open),
  );
  level(
    'hooktape_forward_given_up_events',
    'Events that forwards have given up',
    forwards && (async () => (await forwards.items()).givenUp),
  );
  level('hooktape_forwards_probing', 'Forwards whose destination is down', forwards?.probing);
  total('hooktape_database_busy_total', 'SQLITE_BUSY incidents; anything but 0 is a defect', levels.busyIncidents);
  // The names that every Prometheus client library gives these three.
  level('process_resident_memory_bytes', 'Resident memory', () => levels.usage().residentBytes);
  total('process_cpu_seconds_total', 'CPU time, user and system', () => levels.usage().cpuSeconds);
  level('process_start_time_seconds', 'When the process started', () => startedAt / 1000);
}

function registerCounters({ counter, histogram }: Instruments) {
  return {
    deliveries: counter('hooktape_deliveries_total', 'Deliveries to ingest URLs, by result', 'result'),
    commitRows: histogram('hooktape_commit_rows', 'Deliveries stored by one commit', rowCounts),
    commitSeconds: histogram('hooktape_commit_seconds', 'Time of a commit in the writer, disk included', seconds),
    requests: counter('hooktape_http_requests_total', 'Requests except deliveries', 'route', 'method', 'status'),
    requestSeconds: histogram('hooktape_http_request_seconds', 'Time to the answer', seconds, 'route'),
    loopLag: histogram('hooktape_event_loop_lag_seconds', 'How late a timer fires', seconds),
    swept: counter('hooktape_swept_events_total', 'Events removed by retention or with their endpoint'),
    replays: counter('hooktape_replays_total', 'Replays, by result', 'result'),
    replayJobEvents: counter('hooktape_replay_job_events_total', 'Events of replay jobs, by outcome', 'outcome'),
    alerts: counter('hooktape_alert_notifications_total', 'Attempts to send an alert', 'channel', 'result'),
    signIns: counter('hooktape_sign_ins_total', 'Attempts to sign in, by way and result', 'way', 'result'),
    forwards: counter('hooktape_forward_attempts_total', 'Attempts of forwards, by result', 'result'),
  };
}

export function createMetricsService(options: {
  version: string;
  /** Epoch ms. */
  startedAt: number;
  levels: Levels;
}) {
  const { version, startedAt, levels } = options;
  const registry = new Registry();
  const instruments = createInstruments(registry);
  const counters = registerCounters(instruments);
  registerLevels(instruments, levels, startedAt);
  instruments.constant('hooktape_build_info', 'Always 1', { version });

  // Created once per result, because every delivery is counted.
  const deliveriesByResult = new Map(
    deliveryResults.map(result => [result, counters.deliveries.labels({ result })] as const),
  );

  return {
    contentType: registry.contentType,
    text: (): Promise<string> => registry.metrics(),

    delivery: (result: DeliveryResult): void => deliveriesByResult.get(result)?.inc(),
    commit(rows: number, durationMs: number): void {
      counters.commitRows.observe(rows);
      counters.commitSeconds.observe(durationMs / 1000);
    },
    request({ route, method, status, durationMs }: AnsweredRequest): void {
      const labels: LabelValues<'route' | 'method' | 'status'> = {
        route,
        method: methods.has(method) ? method : 'other',
        status,
      };
      counters.requests.inc(labels);
      counters.requestSeconds.observe({ route }, durationMs / 1000);
    },
    eventLoopLag: (lagMs: number): void => counters.loopLag.observe(Math.max(0, lagMs) / 1000),
    swept: (events: number): void => counters.swept.inc(events),
    alert: (channel: AlertChannelType, result: 'ok' | 'failed'): void => counters.alerts.inc({ channel, result }),
    signIn: (way: SignInWay, result: SignInResult): void => counters.signIns.inc({ way, result }),
    forward: (result: 'settled' | 'retried' | 'given_up'): void => counters.forwards.inc({ result }),
    replay: (result: 'ok' | 'not_ok' | 'failed'): void => counters.replays.inc({ result }),
    /** @param outcome of its item; `again` if the destination asked to wait */
    replayJobItem: (outcome: string): void => counters.replayJobEvents.inc({ outcome }),
  };
}
