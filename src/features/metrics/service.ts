/*
 * What `/metrics` says, in Prometheus' terms. Everything is named here, once; who counts is handed a plain function, who
 * knows a level is asked for it at each scrape. Labels take their values from closed lists, so that no caller can make the
 * number of series grow.
 */
import { Counter, Gauge, Histogram, type LabelValues, Registry } from 'prom-client';

export type DeliveryResult = 'stored' | 'unknown' | 'too_large' | 'refused' | 'aborted';

/** An answered request. `route` is the template (`/api/events/:id`), never the path. */
export type AnsweredRequest = { route: string; method: string; status: number; durationMs: number };

/** Levels, asked for at each scrape. One that is undefined, or whose answer is, is left out. */
export type Levels = {
  /** Deliveries waiting for their commit, or in one. */
  queueDepth: () => number;
  /** Statements sent to the writer and not answered yet. */
  writerDepth: () => number;
  /** How often the database was busy since the start. */
  busyIncidents: () => number;
  liveStreams: () => number;
  usage: () => { residentBytes: number; cpuSeconds: number };
  databaseBytes?: (() => Promise<number | undefined>) | undefined;
  diskFreeBytes?: (() => Promise<number | undefined>) | undefined;
  /** Stored events that the search index has not seen yet. */
  indexLag?: (() => number | Promise<number | undefined> | undefined) | undefined;
};

export type MetricsService = ReturnType<typeof createMetricsService>;

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const rows = [1, 2, 4, 8, 16, 32, 64, 128];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createMetricsService({
  version,
  startedAt,
  levels,
}: {
  version: string;
  /** Epoch ms. */
  startedAt: number;
  levels: Levels;
}) {
  const registry = new Registry();
  const registers = [registry];

  const counter = <T extends string>(name: string, help: string, ...labelNames: T[]) =>
    new Counter<T>({ name, help, labelNames, registers });
  const histogram = <T extends string>(name: string, help: string, buckets: number[], ...labelNames: T[]) =>
    new Histogram<T>({ name, help, buckets, labelNames, registers });
  /** A gauge that is asked; a question that fails leaves it out of this scrape instead of failing all others. */
  const level = (
    name: string,
    help: string,
    ask: (() => number | Promise<number | undefined> | undefined) | undefined,
  ) =>
    ask &&
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.remove();
        const value = await Promise.resolve()
          .then(ask)
          .catch(() => undefined);
        if (value !== undefined) this.set(value);
      },
    });
  /** A counter that somebody else keeps. */
  const kept = (name: string, help: string, ask: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(ask());
      },
    });

  const deliveries = counter('hooktape_deliveries_total', 'Deliveries at the ingest addresses, by result', 'result');
  const commitRows = histogram('hooktape_commit_rows', 'Deliveries stored by one commit', rows);
  const commitSeconds = histogram('hooktape_commit_seconds', 'Time of a commit in the writer, disk included', seconds);
  const requests = counter('hooktape_http_requests_total', 'Requests but deliveries', 'route', 'method', 'status');
  const requestSeconds = histogram('hooktape_http_request_seconds', 'Time to the answer', seconds, 'route');
  const loopLag = histogram('hooktape_event_loop_lag_seconds', 'How late a timer fires', seconds);
  const swept = counter('hooktape_swept_events_total', 'Events removed by retention or with their endpoint');
  const replays = counter('hooktape_replays_total', 'Replays, by result', 'result');
  level('hooktape_queue_depth', 'Deliveries waiting for their commit', levels.queueDepth);
  level('hooktape_writer_depth', 'Statements sent to the writer and not answered yet', levels.writerDepth);
  level('hooktape_live_streams', 'Open live streams', levels.liveStreams);
  level('hooktape_database_bytes', 'Size of the database on disk, log included', levels.databaseBytes);
  level('hooktape_disk_free_bytes', 'Space left where the database is', levels.diskFreeBytes);
  level('hooktape_index_lag_events', 'Events that the search index has not seen yet', levels.indexLag);
  kept('hooktape_database_busy_total', 'SQLITE_BUSY incidents; anything but 0 is a defect', levels.busyIncidents);
  // The names that every Prometheus client library gives these three.
  level('process_resident_memory_bytes', 'Resident memory', () => levels.usage().residentBytes);
  kept('process_cpu_seconds_total', 'CPU time, user and system', () => levels.usage().cpuSeconds);
  level('process_start_time_seconds', 'When the process started', () => startedAt / 1000);
  const build = new Gauge({ name: 'hooktape_build_info', help: 'Always 1', labelNames: ['version'], registers });
  build.set({ version }, 1);

  // Made once per label value: this is on the way of every delivery.
  const byResult = new Map<DeliveryResult, { inc: () => void }>();
  for (const result of ['stored', 'unknown', 'too_large', 'refused', 'aborted'] as const)
    byResult.set(result, deliveries.labels({ result }));

  return {
    contentType: registry.contentType,
    text: (): Promise<string> => registry.metrics(),
    /** For whoever compares names. */
    names: (): string[] => registry.getMetricsAsArray().map(metric => metric.name),

    delivery(result: DeliveryResult): void {
      byResult.get(result)?.inc();
    },
    commit(count: number, durationMs: number): void {
      commitRows.observe(count);
      commitSeconds.observe(durationMs / 1000);
    },
    request({ route, method, status, durationMs }: AnsweredRequest): void {
      const labels: LabelValues<'route' | 'method' | 'status'> = {
        route,
        method: methods.has(method) ? method : 'other',
        status,
      };
      requests.inc(labels);
      requestSeconds.observe({ route }, durationMs / 1000);
    },
    eventLoopLag(lagMs: number): void {
      loopLag.observe(Math.max(0, lagMs) / 1000);
    },
    swept(events: number): void {
      swept.inc(events);
    },
    replay(result: 'ok' | 'not_ok' | 'failed'): void {
      replays.inc({ result });
    },
  };
}
