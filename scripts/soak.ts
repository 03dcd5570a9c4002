/*
 * `bun run soak [--minutes 10] [--rate 200]`: runs the compiled program under mixed load: deliveries at a constant rate, reads,
 * searches, exports, replays, live streams, and endpoints that are created and deleted. Prints resident memory, size on disk and
 * the p99 of each kind of work every minute. Ends with a check that nothing grows and the database is intact.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../src/testing/free-port.ts';
import { startBaseline } from './bench/processes.ts';
import { median, percentile } from './bench/statistics.ts';
import { firstApi } from './lib/api.ts';
import { createChecks, ensure } from './lib/checks.ts';
import { install } from './lib/installation.ts';
import { residentMegabytes } from './lib/process.ts';
import { type Soak, startWork, workKinds } from './soak/work.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '200' } },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
if (!(minutes > 0 && minutes <= 24 * 60 && rate > 0))
  throw new Error('--minutes (at most 1440) and --rate must be greater than 0');

const endpointCount = 4;
const maxGrowthMegabytes = 100;
/** How much slower deliveries may be in the second half than in the first. */
const maxSlowdown = 3;

const checks = createChecks();
const installation = install({ HOOKTAPE_RATE_LIMIT: '1000000', HOOKTAPE_SWEEP_EVERY: '10s' });
const destination = await startBaseline();
try {
  await checks.check(`${minutes} minutes of mixed load with ${rate} deliveries per second`, async () => {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const soak: Soak = {
      server,
      api,
      destination: `${destination.origin}/hook`,
      endpoints: await Promise.all(Array.from({ length: endpointCount }, (_, n) => api.createEndpoint(`soak ${n}`))),
      latencies: { delivery: [], read: [], search: [], export: [], replay: [] },
      counts: { delivery: 0, read: 0, search: 0, export: 0, replay: 0, refused: 0, messages: 0, deleted: 0 },
      running: true,
    };
    const { counts, latencies } = soak;
    // A worker that fails must end the run at once.
    const failed = Promise.all(startWork(soak, rate)).then(() => undefined);
    failed.catch(() => {});

    const resident: number[] = [];
    const disk: number[] = [];
    const deliveryP99: number[] = [];
    print(['minute', 'RSS MB', 'disk MB', ...workKinds.map(kind => `${kind} p99`), 'stored', 'deleted']);
    const intervals = Math.max(2, Math.ceil(minutes));
    for (let minute = 1; minute <= intervals; minute++) {
      await Promise.race([Bun.sleep((minutes * 60_000) / intervals), failed]);
      const p99 = workKinds.map(kind => {
        const sorted = latencies[kind].splice(0).sort((a, b) => a - b);
        return percentile(sorted, 99);
      });
      resident.push(residentMegabytes(server.pid));
      disk.push(diskBytes() / 1e6);
      deliveryP99.push(p99[0] ?? Number.NaN);
      print([
        minute,
        resident.at(-1)?.toFixed(0),
        disk.at(-1)?.toFixed(0),
        ...p99.map(ms => `${ms.toFixed(1)} ms`),
        counts.delivery,
        counts.deleted,
      ]);
    }
    soak.running = false;
    await server.stop().finally(() => failed.catch(() => {}));
    ensure(counts.refused === 0, `${counts.refused} deliveries were refused`);
    for (const kind of workKinds) ensure(counts[kind] > 0, `no ${kind} was done`);
    ensure(counts.messages > 0, 'the live streams sent no messages');
    const growth = growthOf(resident, Math.max);
    ensure(growth < maxGrowthMegabytes, `resident memory grew by ${growth.toFixed(0)} MB in the second half`);
    const [early, late] = halves(deliveryP99).map(median);
    ensure((late ?? 0) < (early ?? 0) * maxSlowdown + 10, `p99 of deliveries went from ${early} to ${late} ms`);
    await installation.command(['check']);
    const { delivery, search, replay, deleted, messages } = counts;
    return [
      `${delivery} deliveries, ${search} searches, ${counts.export} exports, ${replay} replays, ${messages} live messages`,
      `${deleted} endpoints deleted; memory ${signed(growth)} MB, file ${signed(growthOf(disk, Math.max))} MB in the second half`,
    ].join('; ');
  });
} finally {
  await destination.end();
  await installation.remove();
}
process.exit(checks.close());

function print(cells: readonly (string | number | undefined)[]): void {
  console.log(cells.map((cell, i) => String(cell).padStart(i === 0 ? 6 : 13)).join(''));
}

function halves(series: readonly number[]): [number[], number[]] {
  const middle = Math.floor(series.length / 2);
  return [series.slice(0, middle), series.slice(middle)];
}

function growthOf(series: readonly number[], of: (...numbers: number[]) => number): number {
  const [early, late] = halves(series);
  return of(...late) - of(...early);
}

function signed(number: number): string {
  return `${number >= 0 ? '+' : ''}${number.toFixed(0)}`;
}

function diskBytes(): number {
  return readdirSync(installation.dataDir)
    .filter(name => name.startsWith('hooktape.db'))
    .reduce((sum, name) => sum + statSync(join(installation.dataDir, name)).size, 0);
}
