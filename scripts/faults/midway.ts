/*
 * Storage faults while the server runs: the file system becomes read-only after a device error (ext4 in an image file, needs
 * root), and the database file is overwritten. Every request must get a response, and no acknowledged delivery may be lost.
 */
import { chownSync, closeSync, ftruncateSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, type Endpoint, ingestAddress, openInbox } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { type Installation, install, nobodyId, type Server, withInstallation } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { until } from '../lib/process.ts';
import { ensureConsistent, startSenders } from '../lib/senders.ts';

const imageMegabytes = 256;
const pageBytes = 16_384;
const responseTimeoutMs = 10_000;
const exitTimeoutMs = 30_000;

const run = (...command: string[]): boolean =>
  Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;

/** Mounts a file system image at the data directory; undefined without root or mkfs.ext4. */
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
    /** Does what the kernel does after a device error. */
    breakDown: () => run('mount', '-o', 'remount,abort', dataDir),
    umount: () => run('umount', dataDir) || run('umount', '--lazy', dataDir),
    // Exit code 1: errors were corrected.
    repairAndMount: () => (Bun.spawnSync(['e2fsck', '-fy', image]).exitCode ?? 9) <= 1 && mount(),
  };
}

/** @throws if there is no response in time */
const statusOf = async (address: string, init: RequestInit = {}): Promise<number> =>
  (await fetch(address, { ...init, signal: AbortSignal.timeout(responseTimeoutMs) })).status;

async function endInTime(server: Server): Promise<number> {
  const startedAt = performance.now();
  await server.end('SIGTERM');
  const ms = performance.now() - startedAt;
  ensure(ms < exitTimeoutMs, `SIGTERM took ${ms.toFixed(0)} ms`);
  return ms;
}

async function becomeReadOnly(
  installation: Installation,
  image: NonNullable<ReturnType<typeof mountImage>>,
  payloads: readonly Payload[],
): Promise<string> {
  const { server: first, api, endpoint, address } = await openInbox(installation, 'read-only');
  let server = first;
  const senders = startSenders(address, payloads, 16);
  const { ledger } = senders;
  try {
    await until('some deliveries are stored', 20_000, () => ledger.acknowledged.size > 300);
    ensure(image.breakDown(), 'the device error could not be simulated');
    const refusedMs = await until('deliveries are refused', responseTimeoutMs, () => ledger.refused > 20);
    const refused = await fetch(address, { method: 'POST', body: 'x', signal: AbortSignal.timeout(responseTimeoutMs) });
    ensure(
      refused.status === 503 && refused.headers.has('retry-after'),
      `a delivery was answered with ${refused.status}`,
    );
    await until('/readyz answers 503', 10_000, async () => (await statusOf(`${server.origin}/readyz`)) === 503);
    ensure((await statusOf(`${server.origin}/healthz`)) === 200, '/healthz does not answer 200');
    ensure((await api.endpoints()).length === 1, 'the endpoints cannot be read');
    ensure(/could not be stored/.test(server.output()), `the error is not in the log:\n${server.output()}`);
    await senders.stop();
    const endedMs = await endInTime(server);
    ensure(image.umount() && image.repairAndMount(), 'the file system cannot be repaired');
    server = await installation.start(server.port);
    await ensureConsistent(api, endpoint, ledger, payloads);
    ensure((await statusOf(address, { method: 'POST', body: 'x' })) === 200, 'deliveries are refused after the repair');
    await server.end('SIGTERM');
    return `${ledger.acknowledged.size} acknowledged, none missing after the repair; refused after ${refusedMs.toFixed(0)} ms, ended in ${endedMs.toFixed(0)} ms`;
  } finally {
    await senders.stop();
  }
}

/** Reads events, the list and a search, and sends deliveries. @returns how often each request got each status */
async function countStatuses(
  api: Api,
  server: Server,
  endpoint: Endpoint,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  const count = (what: string, answer: Promise<number>): Promise<void> =>
    answer.then(
      status => void seen.set(`${what} ${status}`, (seen.get(`${what} ${status}`) ?? 0) + 1),
      error => {
        if ((error as Error).name === 'TimeoutError') throw new Error(`no response: ${what}`);
        seen.set(`${what} broken`, (seen.get(`${what} broken`) ?? 0) + 1);
      },
    );
  const read = (path: string): Promise<number> =>
    statusOf(server.origin + path, { headers: { authorization: `Bearer ${api.key}` } });
  for (const id of ids) await count('read', read(`/api/events/${id}`));
  await count('list', read(`/api/events?endpointId=${endpoint.id}&limit=100`));
  await count('search', read(`/api/events?endpointId=${endpoint.id}&q=nowhere`));
  for (let n = 0; n < 20; n++)
    await count('deliver', statusOf(ingestAddress(server, endpoint), { method: 'POST', body: `${n}` }));
  return seen;
}

async function overwriteDatabase(installation: Installation, payloads: readonly Payload[]): Promise<string> {
  const file = join(installation.dataDir, 'hooktape.db');
  const { server: first, api, endpoint, address } = await openInbox(installation, 'damaged');
  let server = first;
  const senders = startSenders(address, payloads, 16);
  await until('some deliveries are stored', 20_000, () => senders.ledger.acknowledged.size > 2000);
  const { acknowledged } = await senders.stop();
  await server.end('SIGTERM');
  server = await installation.start(server.port);
  const copy = join(installation.dir, 'copy.db');
  await installation.command(['backup', copy]);

  const handle = openSync(file, 'r+');
  const noise = crypto.getRandomValues(new Uint8Array(pageBytes));
  const { size } = statSync(file);
  // The first third stays intact: it has the account, the key and the endpoint.
  const from = Math.floor(size / pageBytes / 3) * pageBytes;
  for (let at = from; at < size; at += pageBytes) writeSync(handle, noise, 0, pageBytes, at);
  closeSync(handle);
  const ids = [...acknowledged.keys()].filter((_, i) => i % 20 === 0);
  const seen = await countStatuses(api, server, endpoint, ids);
  const summary = [...seen].map(([what, count]) => `${count} × ${what}`).join(', ');
  for (const what of seen.keys())
    ensure(/ (?:200|500|503|broken)$/.test(what) && what !== 'deliver 500', `unexpected status ${what}: ${summary}`);
  ensure(
    [...seen.keys()].some(what => !what.endsWith(' 200')),
    `no request failed because of the damage: ${summary}`,
  );
  ensure(/malformed|CORRUPT|NOTADB/i.test(server.output()), `the error is not in the log:\n${server.output()}`);
  const endedMs = await endInTime(server);
  const checked = await installation.run(['check']);
  ensure(checked.exitCode === 1, `hooktape check: ${checked.exitCode} ${checked.stdout}${checked.stderr}`);
  const refused = await installation.run(['serve'], { HOOKTAPE_PORT: String(server.port) });
  ensure(/damaged|malformed/i.test(refused.stderr), `serve: ${refused.stderr}`);
  rmSync(installation.dataDir, { recursive: true });
  await installation.command(['restore', copy]);
  server = await installation.start(server.port);
  let stored = 0;
  for await (const page of api.events(endpoint.id)) stored += page.events.length;
  ensure(stored === acknowledged.size, `${stored} of ${acknowledged.size} after the restore`);
  await server.end('SIGTERM');
  return `${summary}; ended in ${endedMs.toFixed(0)} ms; ${stored} of ${acknowledged.size} restored from the backup`;
}

export async function checkMidway({ check }: Checks, payloads: readonly Payload[]): Promise<void> {
  // Restoring a backup needs the secret, which is otherwise in the data directory.
  const settings = { HOOKTAPE_RATE_LIMIT: '1000000', HOOKTAPE_SECRET: 'kept apart from the data, and long enough' };
  const broken = install(settings);
  const image = mountImage(broken);
  const name = 'when the file system becomes read-only, deliveries get 503, and nothing is lost after its repair';
  try {
    if (image) await check(name, () => becomeReadOnly(broken, image, payloads));
    else console.log(`skip  ${name}: mounting a file system needs root and mkfs.ext4`);
  } finally {
    image?.umount();
    await broken.remove();
  }
  await check('when the database file is overwritten, every request is answered, and a backup restores it', () =>
    withInstallation(install(settings), installation => overwriteDatabase(installation, payloads)),
  );
}
