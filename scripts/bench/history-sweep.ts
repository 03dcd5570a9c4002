/*
 * How much a sweep slows down capture: plan changes make large histories expire at once while deliveries arrive at half of the
 * saturation rate. The baseline is the same load without a sweep.
 *
 * To run it alone: bun scripts/bench/history-sweep.ts [--events 1000000] [--seconds 10]
 */
import { Database } from 'bun:sqlite';
import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../src/testing/free-port.ts';
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { install } from '../lib/installation.ts';
import { orderPayloads, smallPayload } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import { constantRate } from './generators.ts';
import { type Row, report } from './report.ts';
import { median } from './statistics.ts';
import { fullLoad, requireWrk } from './wrk.ts';

/** Windows with and without a sweep alternate, so that other load on the machine affects both. */
const rounds = 5;
const day = 86_400_000;
/** Between the retention periods of the two plans. */
const ageDays = 30;
const sweepWithinMs = 900_000;

/**
 * @param events how many expire, spread over the rounds
 * @param seconds duration of one load window
 */
export async function historySweep({ events, seconds }: { events: number; seconds: number }): Promise<Row[]> {
  requireWrk();
  const installation = install({
    HOOKTAPE_LOG_LEVEL: 'info',
    HOOKTAPE_RATE_LIMIT: '1000000',
    HOOKTAPE_SWEEP_EVERY: '5s',
  });
  const file = join(installation.dataDir, 'hooktape.db');
  let server = await installation.start(await freePort());
  try {
    const inbox = await (await firstApi(installation, server)).createEndpoint('inbox');
    const people: { email: string; api: Api }[] = [];
    for (let round = 0; round < rounds; round++) {
      const email = `round-${round}@example.com`;
      const api = await firstApi(installation, server, email);
      await seed(
        ingestAddress(server, await api.createEndpoint('old')),
        orderPayloads(1000),
        Math.floor(events / rounds),
      );
      people.push({ email, api });
    }
    await seed(ingestAddress(server, inbox), [smallPayload()], 1);
    await server.end('SIGTERM');
    backdate(file);
    const sizeBefore = statSync(file).size;

    server = await installation.start(server.port);
    const address = ingestAddress(server, inbox);
    const { perSecond } = await fullLoad(address, [smallPayload()], seconds);
    const window = async (what: string): Promise<number> => {
      const { p99Ms } = await constantRate(address, perSecond / 2, seconds);
      console.log(`${what.padEnd(8)}  ${(perSecond / 2).toFixed(0)}/s  p99 ${p99Ms.toFixed(2)} ms`);
      return p99Ms;
    };

    const without: number[] = [];
    const during: number[] = [];
    const countMs: number[] = [];
    let sweptMs = 0;
    for (const [round, { api, email }] of people.entries()) {
      without.push(await window('without'));
      const startedAt = performance.now();
      await installation.run(['account', 'plan', email, 'free']);
      countMs.push(await timeOfCount(api));
      let ended = false;
      const swept = untilSwept(server.output, round + 1).then(() => {
        sweptMs += performance.now() - startedAt;
        ended = true;
      });
      // The window in which the sweep ends counts only if it is the only one.
      for (let windows = 0; !ended; windows++) {
        const p99Ms = await window('sweeping');
        if (!ended || windows === 0) during.push(p99Ms);
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
      { what: '  events swept during the load', ours: events / (sweptMs / 1000), unit: '/s' },
      { what: '  endpoint list right after they expired', ours: median(countMs), unit: 'ms' },
    ];
  } finally {
    await server.end('SIGKILL');
    await installation.remove();
  }
}

/** Milliseconds for the endpoint list, which must not count expired events. */
async function timeOfCount(api: Api): Promise<number> {
  const startedAt = performance.now();
  const endpoints = await api.endpoints();
  const ms = performance.now() - startedAt;
  if (endpoints.some(({ name, eventCount }) => name === 'old' && eventCount > 0))
    throw new Error('expired events are still counted');
  return ms;
}

/**
 * Makes every event of the old histories older than the shorter retention period. The inbox keeps its recent event. Without a
 * recent event, the server would assume that the clock has jumped, and would not sweep. The server must not be running.
 */
function backdate(file: string): void {
  const db = new Database(file);
  db.run("UPDATE events SET received_at = ? + seq WHERE endpoint IN (SELECT seq FROM endpoints WHERE name = 'old')", [
    Date.now() - ageDays * day,
  ]);
  db.run(
    'UPDATE endpoints SET last_received_at = (SELECT max(received_at) FROM events WHERE endpoint = endpoints.seq)',
  );
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  // Files that SQLite created as root must belong to the owner of the database.
  const { uid, gid } = statSync(file);
  const directory = join(file, '..');
  for (const name of readdirSync(directory)) chownSync(join(directory, name), uid, gid);
}

/** Waits for the log line that the server writes after each sweep. */
async function untilSwept(output: () => string, times: number): Promise<void> {
  const until = performance.now() + sweepWithinMs;
  while (output().split('were removed').length <= times) {
    if (performance.now() > until) throw new Error('the sweep did not end');
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
