/*
 * How much sweeping slows down capture: plan changes make large histories expire at once, while deliveries arrive at half of the
 * saturation rate. The baseline is the same load without a sweep.
 *
 * Can be run alone: bun scripts/bench/history-sweep.ts [--events 1000000] [--seconds 10]
 */
import { Database } from 'bun:sqlite';
import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { freePort, install } from '../lib/installation.ts';
import { smallPayload } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import { constantRate } from './ingest.ts';
import { type Row, report } from './report.ts';
import { median } from './statistics.ts';
import { fullLoad, requireWrk } from './wrk.ts';

/** Measurements with and without a sweep alternate, so that disturbances of the machine affect both. */
const rounds = 5;
const dayMs = 86_400_000;
/** Between the retention windows of the two plans. */
const ageDays = 30;
const sweepTimeoutMs = 900_000;

/**
 * @param events how many expire in all rounds together
 * @param seconds length of one measurement
 */
export async function historySweep({ events, seconds }: { events: number; seconds: number }): Promise<Row[]> {
  requireWrk();
  const installation = install({ HOOKTAPE_LOG_LEVEL: 'info', HOOKTAPE_RATE_LIMIT: '1000000' });
  const file = join(installation.dataDir, 'hooktape.db');
  let server = await installation.start(await freePort());
  try {
    const inbox = await (await firstApi(installation, server)).createEndpoint('inbox');
    const accounts: { email: string; api: Api }[] = [];
    for (let round = 0; round < rounds; round++) {
      const email = `round-${round}@example.com`;
      const api = await firstApi(installation, server, email);
      await seed(ingestAddress(server, await api.createEndpoint('old')), [smallPayload()], 200);
      accounts.push({ email, api });
    }
    await server.end('SIGTERM');
    copyEvents(file, Math.floor(events / 200 / rounds));
    const sizeBefore = statSync(file).size;

    server = await installation.start(server.port);
    const address = ingestAddress(server, inbox);
    const { perSecond } = await fullLoad(address, [smallPayload()], seconds);
    const measure = async (what: string): Promise<number> => {
      const { p99Ms } = await constantRate(address, perSecond / 2, seconds);
      console.log(`${what.padEnd(8)}  ${(perSecond / 2).toFixed(0)}/s  p99 ${p99Ms.toFixed(2)} ms`);
      return p99Ms;
    };

    const without: number[] = [];
    const during: number[] = [];
    const countMs: number[] = [];
    let sweptMs = 0;
    for (const [round, { api, email }] of accounts.entries()) {
      without.push(await measure('without'));
      const startedAt = performance.now();
      await installation.run(['account', 'plan', email, 'free']);
      countMs.push(await timeOfCount(api));
      let ended = false;
      const swept = waitForSweeps(server.output, round + 1).then(() => {
        sweptMs += performance.now() - startedAt;
        ended = true;
      });
      // The sweep covers only a part of the last measurement, which counts only when it is the first one too.
      for (let measurements = 0; !ended; measurements++) {
        const p99Ms = await measure('sweeping');
        if (!ended || measurements === 0) during.push(p99Ms);
      }
      await swept;
    }
    await server.end('SIGTERM');
    const sizeAfter = statSync(file).size;

    console.log(`file ${megabytes(sizeBefore)} MB before, ${megabytes(sizeAfter)} MB after, new deliveries included`);
    return [
      {
        what: `p99 of capture at ${(perSecond / 2).toFixed(0)}/s while expired events are swept (baseline: without)`,
        ours: median(during),
        baseline: median(without),
        unit: 'ms',
        goal: { atMost: 2 },
      },
      { what: '  events swept', ours: events / (sweptMs / 1000), unit: '/s' },
      { what: '  endpoint list right after they expired', ours: median(countMs), unit: 'ms' },
    ];
  } finally {
    await server.end('SIGKILL');
    await installation.remove();
  }
}

/** How long the endpoint list takes. Its counts must exclude expired events. */
async function timeOfCount(api: Api): Promise<number> {
  const startedAt = performance.now();
  const endpoints = await api.endpoints();
  const ms = performance.now() - startedAt;
  if (endpoints.some(({ name, eventCount }) => name === 'old' && eventCount > 0))
    throw new Error('expired events are still counted');
  return ms;
}

/** Makes every event old and copies it, while the server is stopped. Updates the counters too. */
function copyEvents(file: string, times: number): void {
  const db = new Database(file);
  const from = Date.now() - ageDays * dayMs;
  db.run('UPDATE events SET received_at = ? + seq', [from]);
  const columns =
    'endpoint, size, encoding, method, platform, event_type, verdict, source_ip, sha256, path, query, preview, content, block_start';
  const blockColumns = 'endpoint, events, bytes, encoding, checksum, content';
  const lastOf = (table: string): number =>
    db.query<{ last: number }, []>(`SELECT ifnull(max(seq), 0) AS last FROM ${table}`).all()[0]?.last ?? 0;
  const [last, lastBlock] = [lastOf('events'), lastOf('blocks')];
  for (let copy = 1; copy < times; copy++) {
    db.run(
      `INSERT INTO blocks (seq, first_event, last_event, ${blockColumns})
       SELECT seq + ?1, first_event + ?2, last_event + ?2, ${blockColumns} FROM blocks WHERE seq <= ?3 ORDER BY seq`,
      [copy * lastBlock, copy * last, lastBlock],
    );
    db.run(
      `INSERT INTO events (seq, nonce, received_at, block, ${columns})
       SELECT seq + ?1, randomblob(12), ?2 + seq, block + ?3, ${columns} FROM events WHERE seq <= ?4 ORDER BY seq`,
      [copy * last, from + copy * last, copy * lastBlock, last],
    );
  }
  db.run(`UPDATE endpoints SET event_count = (SELECT count(*) FROM events WHERE endpoint = endpoints.seq),
            last_received_at = (SELECT max(received_at) FROM events WHERE endpoint = endpoints.seq)`);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  // SQLite's new files must belong to the owner of the database.
  const { uid, gid } = statSync(file);
  const directory = join(file, '..');
  for (const name of readdirSync(directory)) chownSync(join(directory, name), uid, gid);
}

/** The server logs one line for each sweep. */
async function waitForSweeps(output: () => string, count: number): Promise<void> {
  const deadline = performance.now() + sweepTimeoutMs;
  while (output().split('were removed').length <= count) {
    if (performance.now() > deadline) throw new Error('the sweep did not finish in time');
    await Bun.sleep(20);
  }
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
