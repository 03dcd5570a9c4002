/*
 * What holds the data goes bad while the server runs: the file system turns read-only after an error of its own (ext4 in a
 * file, hence root), the database file is overwritten. Every request gets its answer, and what was acknowledged is there.
 */
import { chownSync, closeSync, ftruncateSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, type Endpoint, firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { freePort, type Installation, install, nobodyId, type Server } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { until } from '../lib/process.ts';
import { compareWithServer, isConsistent, startSenders } from '../lib/senders.ts';

const imageMegabytes = 256;
const pageBytes = 16_384;
const responseTimeoutMs = 10_000;
const exitTimeoutMs = 30_000;

const run = (...command: string[]): boolean =>
  Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;

/** A file system in a file, mounted where the data will be; undefined where this user or this machine cannot. */
function mountImage({ dir, dataDir }: Installation) {
  if (process.getuid?.() !== 0 || !Bun.which('mkfs.ext4')) return undefined;
  const image = join(dir, 'image');
  const handle = openSync(image, 'w');
  ftruncateSync(handle, imageMegabytes << 20);
  closeSync(handle);
  mkdirSync(dataDir);
  const mount = (): boolean => run('mount', '-o', 'loop,errors=remount-ro', image, dataDir);
  if (!run('mkfs.ext4', '-q', image) || !mount()) return undefined;
  chownSync(dataDir, nobodyId, nobodyId);
  return {
    /** What the kernel does after an error of the device. */
    breakDown: () => run('mount', '-o', 'remount,abort', dataDir),
    umount: () => run('umount', dataDir) || run('umount', '--lazy', dataDir),
    // Exit code 1: something was mended.
    mendAndMount: () => (Bun.spawnSync(['e2fsck', '-fy', image]).exitCode ?? 9) <= 1 && mount(),
  };
}

/** The status, within the time that anybody would wait. */
const statusOf = async (address: string, init: RequestInit = {}): Promise<number> =>
  (await fetch(address, { ...init, signal: AbortSignal.timeout(responseTimeoutMs) })).status;

async function endsWithinReason(server: Server): Promise<number> {
  const startedAt = performance.now();
  await server.end('SIGTERM');
  const ms = performance.now() - startedAt;
  ensure(ms < exitTimeoutMs, `SIGTERM took ${ms.toFixed(0)} ms`);
  return ms;
}

async function readOnlyMeanwhile(
  installation: Installation,
  image: NonNullable<ReturnType<typeof mountImage>>,
  payloads: readonly Payload[],
): Promise<string> {
  const port = await freePort();
  let server = await installation.start(port);
  const api = await firstApi(installation, server);
  const endpoint = await api.createEndpoint('read-only');
  const address = ingestAddress(server, endpoint);
  const senders = startSenders(address, payloads, 16);
  const { ledger } = senders;
  try {
    await until('some are stored', 20_000, () => ledger.acknowledged.size > 300);
    ensure(image.breakDown(), 'the file system cannot be made to fail');
    const refusedMs = await until('deliveries are refused', responseTimeoutMs, () => ledger.refused > 20);
    const refused = await fetch(address, { method: 'POST', body: 'x', signal: AbortSignal.timeout(responseTimeoutMs) });
    ensure(refused.status === 503 && refused.headers.has('retry-after'), `a delivery was answered ${refused.status}`);
    await until('/readyz says so', 10_000, async () => (await statusOf(`${server.origin}/readyz`)) === 503);
    ensure((await statusOf(`${server.origin}/healthz`)) === 200, 'it is not alive');
    ensure((await api.endpoints()).length === 1, 'it cannot be read');
    ensure(/could not be stored/.test(server.output()), `nothing in the log:\n${server.output()}`);
    await senders.stop();
    const endedMs = await endsWithinReason(server);
    ensure(image.umount() && image.mendAndMount(), 'the file system cannot be mended');
    server = await installation.start(port);
    const comparison = await compareWithServer(api, endpoint, ledger, payloads);
    ensure(
      isConsistent(ledger, comparison),
      JSON.stringify({ ...ledger, ...comparison, acknowledged: ledger.acknowledged.size }),
    );
    ensure((await statusOf(address, { method: 'POST', body: 'x' })) === 200, 'no delivery is taken afterwards');
    await server.end('SIGTERM');
    return `${ledger.acknowledged.size} acknowledged, all there after mending; refusing after ${refusedMs.toFixed(0)} ms, ended in ${endedMs.toFixed(0)} ms`;
  } finally {
    await senders.stop();
  }
}

/** Everything that is read of the history, and a delivery, each with its status. */
async function askAll(
  api: Api,
  server: Server,
  endpoint: Endpoint,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  const note = (what: string, answer: Promise<number>): Promise<void> =>
    answer.then(
      status => void seen.set(`${what} ${status}`, (seen.get(`${what} ${status}`) ?? 0) + 1),
      error => {
        if ((error as Error).name === 'TimeoutError') throw new Error(`no answer to ${what}`);
        seen.set(`${what} broken`, (seen.get(`${what} broken`) ?? 0) + 1);
      },
    );
  const read = (path: string): Promise<number> =>
    statusOf(server.origin + path, { headers: { authorization: `Bearer ${api.key}` } });
  for (const id of ids) await note('read', read(`/api/events/${id}`));
  await note('list', read(`/api/events?endpointId=${endpoint.id}&limit=100`));
  await note('search', read(`/api/events?endpointId=${endpoint.id}&q=nowhere`));
  for (let n = 0; n < 20; n++)
    await note('deliver', statusOf(ingestAddress(server, endpoint), { method: 'POST', body: `${n}` }));
  return seen;
}

async function damagedMeanwhile(installation: Installation, payloads: readonly Payload[]): Promise<string> {
  const file = join(installation.dataDir, 'hooktape.db');
  const port = await freePort();
  let server = await installation.start(port);
  const api = await firstApi(installation, server);
  const endpoint = await api.createEndpoint('damaged');
  const senders = startSenders(ingestAddress(server, endpoint), payloads, 16);
  await until('some are stored', 20_000, () => senders.ledger.acknowledged.size > 2000);
  const { acknowledged } = await senders.stop();
  await server.end('SIGTERM');
  server = await installation.start(port);
  const copy = join(installation.dir, 'copy.db');
  const saved = await installation.run(['backup', copy]);
  ensure(saved.exitCode === 0, `backup: ${saved.stderr}`);

  const handle = openSync(file, 'r+');
  const noise = crypto.getRandomValues(new Uint8Array(pageBytes));
  const { size } = statSync(file);
  // What came first stays: who may read, and which endpoint it is.
  const from = Math.floor(size / pageBytes / 3) * pageBytes;
  for (let at = from; at < size; at += pageBytes) writeSync(handle, noise, 0, pageBytes, at);
  closeSync(handle);
  const ids = [...acknowledged.keys()].filter((_, i) => i % 20 === 0);
  const seen = await askAll(api, server, endpoint, ids);
  const said = [...seen].map(([what, count]) => `${count} × ${what}`).join(', ');
  for (const what of seen.keys())
    ensure(/ (?:200|500|503|broken)$/.test(what) && what !== 'deliver 500', `answered with ${what}: ${said}`);
  ensure(
    [...seen.keys()].some(what => !what.endsWith(' 200')),
    `no damage was met: ${said}`,
  );
  ensure(/malformed|CORRUPT|NOTADB/i.test(server.output()), `nothing in the log:\n${server.output()}`);
  const endedMs = await endsWithinReason(server);
  const checked = await installation.run(['check']);
  ensure(checked.exitCode === 1, `hooktape check: ${checked.exitCode} ${checked.stdout}${checked.stderr}`);
  const refused = await installation.run(['serve'], { HOOKTAPE_PORT: String(port) });
  ensure(/damaged|malformed/i.test(refused.stderr), `serve: ${refused.stderr}`);
  rmSync(installation.dataDir, { recursive: true });
  const restored = await installation.run(['restore', copy]);
  ensure(restored.exitCode === 0, `restore: ${restored.exitCode} ${restored.stderr}`);
  server = await installation.start(port);
  let stored = 0;
  for await (const page of api.events(endpoint.id)) stored += page.events.length;
  ensure(stored === acknowledged.size, `${stored} of ${acknowledged.size} after the restore`);
  await server.end('SIGTERM');
  return `${said}; ended in ${endedMs.toFixed(0)} ms; ${stored} of ${acknowledged.size} back from the backup`;
}

export async function checkMidway({ check }: Checks, payloads: readonly Payload[]): Promise<void> {
  // A backup is of use only to whoever still has the secret.
  const settings = { HOOKTAPE_RATE_LIMIT: '1000000', HOOKTAPE_SECRET: 'kept apart from the data, and long enough' };
  const broken = install(settings);
  const image = mountImage(broken);
  const name = 'a file system that turns read-only meanwhile: 503, and all is there once it is mended';
  try {
    if (image) await check(name, () => readOnlyMeanwhile(broken, image, payloads));
    else console.log(`skip  ${name}: a file system of its own can only be mounted as root`);
  } finally {
    image?.umount();
    await broken.remove();
  }
  const damaged = install(settings);
  try {
    await check(
      'a database file that is overwritten meanwhile: every request is answered, a backup brings it back',
      () => damagedMeanwhile(damaged, payloads),
    );
  } finally {
    await damaged.remove();
  }
}
