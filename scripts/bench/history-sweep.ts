/*
 * What sweeping costs capture: a plan change makes a large history fall due at once, while deliveries keep coming at half of
 * the saturation rate. Windows of the same load before and after the sweep are what it is held against.
 *
 * On its own: bun scripts/bench/history-sweep.ts [--events 1000000] [--seconds 10]
 */
import { Database } from 'bun:sqlite';
import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApi, firstApi, ingestAddress } from '../lib/api.ts';
import { freePort, install } from '../lib/installation.ts';
import { smallPayload } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import { constantRate } from './ingest.ts';
import { type Row, report } from './report.ts';
import { median } from './statistics.ts';
import { fullLoad, requireWrk } from './wrk.ts';

const owner = 'owner@example.com';
const day = 86_400_000;
/** Between the windows of the two plans. */
const ageDays = 30;
const sweepWithinMs = 900_000;

/** @param events how many fall due @param seconds length of one window of load */
export async function historySweep({ events, seconds }: { events: number; seconds: number }): Promise<Row[]> {
  requireWrk();
  const installation = install({ HOOKTAPE_LOG_LEVEL: 'info', HOOKTAPE_FREE_ENDPOINTS: '0' });
  const file = join(installation.dataDir, 'hooktape.db');
  let server = await installation.start(await freePort());
  try {
    const first = await firstApi(installation, server);
    const old = await first.createEndpoint('old');
    const inbox = await first.createEndpoint('inbox');
    await seed(ingestAddress(server, old), [smallPayload()], 1000);
    await server.end('SIGTERM');
    multiply(file, events);
    const sizeBefore = statSync(file).size;

    server = await installation.start(await freePort());
    const running = server;
    const key = (await installation.run(['key', 'create', 'sweep', '--account', owner])).stdout.trim();
    const api = createApi(server.origin, key);
    const counted = async (): Promise<number> =>
      (await api.endpoints()).find(({ id }) => id === old.id)?.eventCount ?? Number.NaN;
    if ((await counted()) !== events) throw new Error('the history is not as large as it should be');

    const address = ingestAddress(server, inbox);
    const { perSecond } = await fullLoad(address, [smallPayload()], seconds);
    const window = async (what: string): Promise<number> => {
      const { p99Ms } = await constantRate(address, perSecond / 2, seconds);
      console.log(`${what.padEnd(8)}  ${(perSecond / 2).toFixed(0)}/s  p99 ${p99Ms.toFixed(2)} ms`);
      return p99Ms;
    };

    const without = [await window('before'), await window('before'), await window('before')];
    const startedAt = performance.now();
    await installation.run(['account', 'plan', owner, 'free']);
    const countedAt = performance.now();
    if ((await counted()) !== 0) throw new Error('events past their window are still counted');
    const countMs = performance.now() - countedAt;
    const swept = untilSwept(running.output, startedAt);
    const during: number[] = [];
    let sweepMs: number | undefined;
    void swept.then(ms => {
      sweepMs = ms;
    });
    // The window in which the sweep ends is not one of a sweep.
    while (sweepMs === undefined) {
      const p99Ms = await window('sweeping');
      if (sweepMs === undefined || during.length === 0) during.push(p99Ms);
    }
    for (let i = 0; i < 3; i++) without.push(await window('after'));
    await Bun.sleep(2000);
    await server.end('SIGTERM');
    const sizeAfter = statSync(file).size;

    console.log(`file ${megabytes(sizeBefore)} MB before, ${megabytes(sizeAfter)} MB after, new deliveries included`);
    return [
      {
        what: `p99 of capture at ${(perSecond / 2).toFixed(0)}/s while ${events.toLocaleString('en-US')} events are swept (baseline: without)`,
        ours: median(during),
        baseline: median(without),
        unit: 'ms',
        goal: { atMost: 2 },
      },
      { what: '  events swept meanwhile', ours: events / (sweepMs / 1000), unit: '/s' },
      { what: '  endpoint list right after the plan change', ours: countMs, unit: 'ms' },
    ];
  } finally {
    await server.end('SIGKILL');
    installation.remove();
  }
}

/** Many old copies of the events that are there; the counters with them. The server is not running. */
function multiply(file: string, events: number): void {
  const db = new Database(file);
  const [{ n: there = 0 } = {}] = db.query<{ n: number }, []>('SELECT count(*) AS n FROM events').all();
  const from = Date.now() - ageDays * day;
  db.run('UPDATE events SET received_at = ?', [from]);
  const columns =
    'endpoint, size, encoding, method, platform, event_type, verdict, source_ip, sha256, path, query, preview, content';
  for (let at = there; at < events; at += there)
    db.run(
      `INSERT INTO events (nonce, received_at, ${columns})
       SELECT randomblob(12), ? + seq, ${columns} FROM events WHERE seq <= ? ORDER BY seq LIMIT ?`,
      [from + at, there, Math.min(there, events - at)],
    );
  db.run(`UPDATE endpoints SET event_count = (SELECT count(*) FROM events WHERE endpoint = endpoints.seq),
            last_received_at = (SELECT max(received_at) FROM events WHERE endpoint = endpoints.seq)`);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  // Whatever SQLite made belongs to the one who made the database.
  const { uid, gid } = statSync(file);
  const directory = join(file, '..');
  for (const name of readdirSync(directory)) chownSync(join(directory, name), uid, gid);
}

/** The server says so in its log. @returns ms since `startedAt` */
async function untilSwept(output: () => string, startedAt: number): Promise<number> {
  while (!output().includes('were removed')) {
    if (performance.now() - startedAt > sweepWithinMs) throw new Error('the sweep did not end');
    await Bun.sleep(50);
  }
  return performance.now() - startedAt;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

if (import.meta.main) {
  const options = {
    events: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '10' },
  } as const;
  const { events, seconds } = parseArgs({ options }).values;
  const rows = await historySweep({ events: Number(events), seconds: Number(seconds) });
  report('history-sweep', rows, { events, seconds });
}
