/*
 * `bun run soak [--minutes 10] [--rate 50] [--kill-every 5]`: runs the compiled program under mixed load: an endpoint that keeps everything,
 * with forwards, alerts, webhook subscriptions, redaction and an open dashboard (soak/kept.ts), beside reads, searches, exports, replays, live
 * streams, and endpoints that are created and deleted (soak/work.ts). The server is killed with -9 every few minutes, and backs up to an
 * object store on this machine if this build can. Prints resident memory, size on disk and the p99 of each kind of work every minute. Ends
 * with a check that nothing acknowledged is lost, none of the figures grows, and the log has no line at level error.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../src/testing/free-port.ts';
import { openMemoryStore } from '../src/testing/object-store/memory-store.ts';
import { startBaseline } from './bench/processes.ts';
import { median, percentile } from './bench/statistics.ts';
import { createApi } from './lib/api.ts';
import { createChecks, ensure } from './lib/checks.ts';
import { type Env, install } from './lib/installation.ts';
import { residentMegabytes } from './lib/process.ts';
import { openDashboard } from './soak/dashboard.ts';
import { openKept, owner, prepare } from './soak/kept.ts';
import { type Soak, startWork, wasDown, workKinds } from './soak/work.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '50' },
    'kill-every': { type: 'string', default: '5' },
  },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
const killEveryMs = Number(values['kill-every']) * 60_000;
if (!(minutes > 0 && minutes <= 24 * 60 && rate > 0 && killEveryMs > 0))
  throw new Error('--minutes (at most 1440), --rate and --kill-every must be greater than 0');

const endpointCount = 4;
/** Deliveries a second to the endpoints that are replaced, whose payloads are larger. */
const churnRate = rate / 5;
const maxGrowthMegabytes = 100;
const maxHeapGrowthMegabytes = 30;
/** How much slower deliveries may be in the second half than in the first. */
const maxSlowdown = 3;
const newestType = 'soak.newest';

const port = await freePort();
const store = await openMemoryStore();
const backup: Env = {
  HOOKTAPE_BACKUP_S3: `s3://${store.bucket}/soak`,
  HOOKTAPE_S3_ENDPOINT: store.endpoint,
  HOOKTAPE_S3_ACCESS_KEY_ID: store.settings.accessKeyId,
  HOOKTAPE_S3_SECRET_ACCESS_KEY: store.settings.secretAccessKey,
};
const base: Env = {
  HOOKTAPE_SECRET: 'the secret of this soak test, long enough',
  HOOKTAPE_BASE_URL: `http://127.0.0.1:${port}`,
};
const logged: string[] = [];
const settings: Env = {
  ...base,
  HOOKTAPE_RATE_LIMIT: '1000000',
  HOOKTAPE_SWEEP_EVERY: '10s',
  HOOKTAPE_REPLAY_ALLOW: '127.0.0.1',
  HOOKTAPE_LOG_FORMAT: 'json',
};
const hasBackup = await canBackUp();
const options = { onOutput: (text: string) => void logged.push(text) };
const installation = install({ ...settings, ...(hasBackup && backup) }, [], options);
const destination = await startBaseline();
const checks = createChecks();
try {
  await checks.check(`${minutes} minutes of mixed load, ${rate} deliveries per second, with kills`, run);
  await checks.check('the log has no line at level error', async () => {
    const errors = logged.join('').split('\n').filter(isError);
    ensure(errors.length === 0, `${errors.length} lines, such as\n${errors.slice(0, 5).join('\n')}`);
    return undefined;
  });
  if (hasBackup)
    await checks.check('hooktape backup s3 verify', () => installation.command(['backup', 's3', 'verify'], 600_000));
  else console.log('this build has no continuous backup: not tested');
} finally {
  await destination.end();
  await installation.remove();
  await store.close();
}
process.exit(checks.close());

async function run(): Promise<string> {
  const { receiver, endpoint } = await prepare(installation, base);
  const server = await installation.start(port);
  const key = await installation.command(['key', 'create', 'soak', '--account', owner.email]);
  const api = createApi(server.origin, key);
  const kept = await openKept(api, endpoint, receiver);
  const soak: Soak = {
    server,
    api,
    destination: `${destination.origin}/hook`,
    endpoints: await Promise.all(Array.from({ length: endpointCount }, (_, n) => api.createEndpoint(`soak ${n}`))),
    latencies: { delivery: [], read: [], search: [], export: [], replay: [] },
    counts: { delivery: 0, read: 0, search: 0, export: 0, replay: 0, refused: 0, messages: 0, deleted: 0 },
    running: true,
    lastDownAt: 0,
    untilUp: async () => {
      while (soak.running && soak.lastDownAt === Number.POSITIVE_INFINITY) await Bun.sleep(20);
    },
  };
  const { counts } = soak;
  const dashboard = await openDashboard(server.origin, owner, endpoint.id);
  let kills = 0;
  const keepKilling = async (): Promise<void> => {
    while (soak.running) {
      for (const end = performance.now() + killEveryMs; soak.running && performance.now() < end; ) await Bun.sleep(100);
      if (!soak.running) return;
      soak.lastDownAt = Number.POSITIVE_INFINITY;
      await soak.server.end('SIGKILL');
      soak.server = await installation.start(port);
      soak.lastDownAt = performance.now();
      kills++;
    }
  };
  const deliver = async (): Promise<void> => {
    while (soak.running) {
      const startedAt = performance.now();
      await kept.send(server).catch(async error => {
        if (!wasDown(soak, startedAt)) throw error;
        await soak.untilUp();
      });
      await Bun.sleep(Math.max(0, 8000 / rate - (performance.now() - startedAt)));
    }
  };
  // A worker that fails must end the run at once.
  const workers = [keepKilling(), ...Array.from({ length: 8 }, deliver), ...startWork(soak, churnRate)];
  const failed = Promise.all(workers).then(() => undefined);
  failed.catch(() => {});
  const figures = await observe(soak, failed, dashboard?.heapMegabytes);

  soak.running = false;
  await failed;
  await kept.send(soak.server, newestType);
  const summary = await kept.verify();
  await dashboard?.verify(newestType);
  await dashboard?.close();
  await soak.server.stop();
  receiver.close();
  ensure(counts.refused === 0, `${counts.refused} deliveries were refused`);
  for (const kind of workKinds) ensure(counts[kind] > 0, `no ${kind} was done`);
  ensure(counts.messages > 0, 'the live streams sent no messages');
  await installation.command(['check'], 600_000);
  const { delivery, search, replay, deleted, messages } = counts;
  return [
    summary,
    `${kills} kills; ${dashboard ? 'the dashboard followed' : 'no Chromium, no dashboard'}`,
    `${delivery} other deliveries, ${search} searches, ${counts.export} exports, ${replay} replays, ${messages} live messages, ${deleted} endpoints deleted`,
    figures,
  ].join('; ');
}

/** Prints the figures every minute until the time is over. @throws if one of them grows */
async function observe(soak: Soak, failed: Promise<void>, heapMegabytes?: () => Promise<number>): Promise<string> {
  const resident: number[] = [];
  const disk: number[] = [];
  const heap: number[] = [];
  const deliveryP99: number[] = [];
  print(['minute', 'RSS MB', 'disk MB', 'page MB', ...workKinds.map(kind => `${kind} p99`), 'stored', 'deleted']);
  const intervals = Math.max(2, Math.ceil(minutes));
  for (let minute = 1; minute <= intervals; minute++) {
    resident.push(await highestResidentWithin((minutes * 60_000) / intervals, soak, failed));
    const p99 = workKinds.map(kind =>
      percentile(
        soak.latencies[kind].splice(0).sort((a, b) => a - b),
        99,
      ),
    );
    disk.push(diskBytes() / 1e6);
    heap.push((await heapMegabytes?.()) ?? 0);
    deliveryP99.push(p99[0] ?? Number.NaN);
    const shown = [resident, disk, heap].map(series => series.at(-1)?.toFixed(0));
    print([minute, ...shown, ...p99.map(ms => `${ms.toFixed(1)} ms`), soak.counts.delivery, soak.counts.deleted]);
  }
  const growth = growthOf(resident);
  ensure(growth < maxGrowthMegabytes, `resident memory grew by ${growth.toFixed(0)} MB in the second half`);
  const heapGrowth = growthOf(heap);
  ensure(heapGrowth < maxHeapGrowthMegabytes, `the dashboard's memory grew by ${heapGrowth.toFixed(0)} MB`);
  const [early, late] = halves(deliveryP99).map(median);
  ensure((late ?? 0) < (early ?? 0) * maxSlowdown + 10, `p99 of deliveries went from ${early} to ${late} ms`);
  return `memory ${signed(growth)} MB, page ${signed(heapGrowth)} MB, file ${signed(growthOf(disk))} MB in the second half`;
}

async function highestResidentWithin(ms: number, soak: Soak, failed: Promise<void>): Promise<number> {
  let highest = 0;
  for (const end = performance.now() + ms; performance.now() < end; ) {
    await Promise.race([Bun.sleep(Math.min(1000, Math.max(0, end - performance.now()))), failed]);
    if (soak.lastDownAt !== Number.POSITIVE_INFINITY) highest = Math.max(highest, residentMegabytes(soak.server.pid));
  }
  return highest;
}

async function canBackUp(): Promise<boolean> {
  const asked = install(settings);
  const { stdout } = await asked.run(['help', 'backup']);
  await asked.remove();
  return stdout.includes('s3');
}

function isError(line: string): boolean {
  try {
    return (JSON.parse(line) as { level?: string }).level === 'error';
  } catch {
    // A line that a kill has cut off, or output of a crash.
    return /panic|segmentation|error:/i.test(line);
  }
}

function print(cells: readonly (string | number | undefined)[]): void {
  console.log(cells.map((cell, i) => String(cell).padStart(i === 0 ? 6 : 13)).join(''));
}

function halves(series: readonly number[]): [number[], number[]] {
  const middle = Math.floor(series.length / 2);
  return [series.slice(0, middle), series.slice(middle)];
}

function growthOf(series: readonly number[]): number {
  const [early, late] = halves(series);
  return Math.max(...late) - Math.max(...early);
}

function signed(number: number): string {
  return `${number >= 0 ? '+' : ''}${number.toFixed(0)}`;
}

function diskBytes(): number {
  return readdirSync(installation.dataDir)
    .filter(name => name.startsWith('hooktape.db'))
    .reduce((sum, name) => sum + statSync(join(installation.dataDir, name)).size, 0);
}
