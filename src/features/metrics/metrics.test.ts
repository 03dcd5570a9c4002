import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createMetricsService } from './service.ts';

/** The value of one series, written as Prometheus writes it; undefined when it is not there. */
const sample = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find(one => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('GET /metrics', () => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    server = await openTestServer();
    url = await server.listen();
  });
  afterAll(() => server.close());
  const scrape = async () => (await fetch(`${url}/metrics`)).text();

  test('counts deliveries by result, commits, and requests by route, method and status', async () => {
    const { json, key } = await server.createAccount();
    const endpoint = await json<{ id: string; url: string }>(201, 'POST', '/api/endpoints', { name: 'inbox' });
    await server.deliver(endpoint);
    await server.deliver(endpoint);
    await fetch(`${url}/in/unknown`, { method: 'POST', body: 'x' });
    await fetch(`${url}/api/endpoints/${endpoint.id}`, { headers: { authorization: `Bearer ${key}` } });
    await fetch(`${url}/api/endpoints/${endpoint.id}`);
    await fetch(`${url}/nowhere/${crypto.randomUUID()}`);
    const text = await scrape();
    expect(sample(text, 'hooktape_deliveries_total{result="stored"}')).toBe(2);
    expect(sample(text, 'hooktape_deliveries_total{result="unknown"}')).toBe(1);
    expect(sample(text, 'hooktape_commit_rows_sum')).toBe(2);
    expect(sample(text, 'hooktape_commit_seconds_count')).toBeGreaterThan(0);
    const request = (route: string, status: number) =>
      sample(text, `hooktape_http_requests_total{route="${route}",method="GET",status="${status}"}`);
    expect(request('/api/endpoints/:id', 200)).toBe(1);
    expect(request('/api/endpoints/:id', 401)).toBe(1);
    expect(request('other', 404)).toBe(1);
    expect(text).not.toContain(endpoint.id);
  });

  test('counts replays by result, and shows how many events the search index lacks', async () => {
    const { json, createEndpoint, call } = await server.createAccount('replays@example.com');
    const id = await server.deliver(await createEndpoint());
    const target = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('no', { status: 500 }) });
    const url = `http://127.0.0.1:${target.port}/`;
    try {
      await json(200, 'POST', `/api/events/${id}/replay`, { url });
    } finally {
      await target.stop(true);
    }
    await call('POST', `/api/events/${id}/replay`, { url });
    await server.services.background.idle();
    const text = await scrape();
    expect(sample(text, 'hooktape_replays_total{result="not_ok"}')).toBe(1);
    expect(sample(text, 'hooktape_replays_total{result="failed"}')).toBe(1);
    expect(sample(text, 'hooktape_index_lag_events')).toBe(0);
  });

  test('shows the size of the database, free disk space, memory and event loop lag', async () => {
    const text = await scrape();
    if (!isRemote) {
      expect(sample(text, 'hooktape_database_bytes')).toBeGreaterThan(16_384);
      expect(sample(text, 'hooktape_disk_free_bytes')).toBeGreaterThan(0);
    }
    expect(sample(text, 'process_resident_memory_bytes')).toBe(64 << 20);
    expect(sample(text, 'process_cpu_seconds_total')).toBe(1.5);
    expect(sample(text, 'hooktape_database_busy_total')).toBe(0);
    expect(sample(text, 'hooktape_queue_depth')).toBe(0);
    await eventually(async () => sample(await scrape(), 'hooktape_event_loop_lag_seconds_count'));
  });

  test('without a token, only a client on this machine may read it, and not through a proxy', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via'])
      expect((await fetch(`${url}/metrics`, { headers: { [header]: '127.0.0.1' } })).status).toBe(403);
    expect((await fetch(`${url}/metrics`, { headers: { host: 'rebound.example' } })).status).toBe(403);
  });

  test('with a token, only a client that sends it may read it', async () => {
    const guarded = await openTestServer({ env: { HOOKTAPE_METRICS_TOKEN: 'correct-horse-battery' } });
    try {
      const ask = (headers: Record<string, string>) => guarded.fetch('/metrics', { headers });
      const refused = await ask({});
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toStartWith('Bearer');
      expect((await ask({ authorization: 'Bearer correct-horse' })).status).toBe(401);
      const given = await ask({ authorization: 'Bearer correct-horse-battery', 'x-forwarded-for': '203.0.113.9' });
      expect(given.status).toBe(200);
      expect(given.headers.get('content-type')).toStartWith('text/plain');
    } finally {
      await guarded.close();
    }
  });
});

describe('the metrics', () => {
  const levels = {
    queueDepth: () => 3,
    writerDepth: () => 0,
    busyIncidents: () => 2,
    liveStreams: () => 0,
    usage: () => ({ residentBytes: 1, cpuSeconds: 1 }),
  };
  const make = (more = {}) =>
    createMetricsService({ version: '1.2.3', startedAt: 5000, levels: { ...levels, ...more } });

  test('a level that cannot be read is left out, and the others are shown', async () => {
    const text = await make({ databaseBytes: () => Promise.reject(new Error('gone')), indexLag: () => 9 }).text();
    expect(sample(text, 'hooktape_database_bytes')).toBeUndefined();
    expect(sample(text, 'hooktape_index_lag_events')).toBe(9);
    expect(sample(text, 'hooktape_queue_depth')).toBe(3);
  });

  test('the backlog of the capture journal is shown in events, bytes and seconds', async () => {
    const text = await make({ journal: () => ({ rows: 3, bytes: 4096, ageMs: 1500 }) }).text();
    expect(['events', 'bytes', 'seconds'].map(unit => sample(text, `hooktape_journal_${unit}`))).toEqual([
      3, 4096, 1.5,
    ]);
  });

  test('the age of the backup is shown only by a server that has one', async () => {
    const age = async (more: object) => sample(await make(more).text(), 'hooktape_backup_age_seconds');
    expect([await age({ backupAgeS: async () => 42.5 }), await age({})]).toEqual([42.5, undefined]);
  });

  test('a total that is kept elsewhere is not added up from scrape to scrape', async () => {
    const metrics = make();
    await metrics.text();
    expect(sample(await metrics.text(), 'hooktape_database_busy_total')).toBe(2);
  });

  test('swept events and replays are counted, and an unknown method is counted as `other`', async () => {
    const metrics = make();
    metrics.swept(7);
    metrics.replay('failed');
    metrics.signIn('password', 'refused');
    metrics.request({ route: '/x', method: 'BREW', status: 404, durationMs: 2 });
    metrics.eventLoopLag(-3);
    const text = await metrics.text();
    expect(sample(text, 'hooktape_swept_events_total')).toBe(7);
    expect(sample(text, 'hooktape_replays_total{result="failed"}')).toBe(1);
    expect(sample(text, 'hooktape_sign_ins_total{way="password",result="refused"}')).toBe(1);
    expect(sample(text, 'hooktape_http_requests_total{route="/x",method="other",status="404"}')).toBe(1);
    expect(sample(text, 'hooktape_event_loop_lag_seconds_sum')).toBe(0);
  });

  test('the Grafana dashboard shows all of them and no others', async () => {
    const dashboard = readFileSync(join(import.meta.dir, '../../../docs/grafana-dashboard.json'), 'utf8');
    const shown = new Set(
      [...dashboard.matchAll(/\b(?:hooktape|process)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, '')),
    );
    const journal = () => ({ rows: 1, bytes: 1, ageMs: 1 });
    const forwards = { items: async () => ({ open: 1, givenUp: 1 }), probing: async () => 1 };
    const replayJobs = { jobs: async () => 1, waiting: async () => 1 };
    const all = {
      journal,
      databaseBytes: async () => 1,
      diskFreeBytes: async () => 1,
      indexLag: () => 1,
      firingAlerts: async () => 1,
      replayJobs,
      forwards,
    };
    const text = await make(all).text();
    expect([...shown].sort()).toEqual([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name).sort());
  });
});
