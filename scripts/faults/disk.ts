/*
 * Disk faults: a disk that is full and has space again, a read-only file system, a damaged database file, and a write-ahead log
 * after a crash. The first two need root to mount a small tmpfs.
 */
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { ingestAddress, openInbox } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { type Installation, install, nobodyId } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { until } from '../lib/process.ts';
import { ensureConsistent, startSenders } from '../lib/senders.ts';
import { forbiddenJournal, killedOnFullDisk } from './journal-disk.ts';

const diskMegabytes = 96;
const ballastMegabytes = 48;

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: 'ignore' }).exitCode === 0;

/** Mounts a small file system at the data directory. @returns whether that succeeded */
function mountData({ dataDir }: Installation): boolean {
  if (process.getuid?.() !== 0) return false;
  mkdirSync(dataDir);
  const options = `size=${diskMegabytes}m,mode=0700,uid=${nobodyId},gid=${nobodyId}`;
  return run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', dataDir);
}

/** Bodies that cannot be compressed, so that they fill the disk quickly. */
const noise: Payload[] = Array.from({ length: 16 }, () => ({
  event: 'noise',
  body: crypto.getRandomValues(new Uint8Array(32_768)),
}));

async function fullDisk(installation: Installation): Promise<string> {
  const ballast = join(installation.dataDir, 'ballast');
  writeFileSync(ballast, new Uint8Array(ballastMegabytes << 20));
  const { server, api, endpoint, address } = await openInbox(installation, 'full');
  const probe = ingestAddress(server, await api.createEndpoint('probe'));
  const senders = startSenders(address, noise, 16);
  const { ledger } = senders;
  try {
    await until('deliveries are refused', 60_000, () => ledger.refused > 20);
    // A single delivery may still fit if a batch does not.
    await until('a delivery is refused with Retry-After', 10_000, async () => {
      const { status, headers } = await fetch(probe, { method: 'POST', body: noise[0]?.body.slice() ?? '' });
      ensure(
        status === 200 || (status === 503 && headers.has('retry-after')),
        `with a full disk, a delivery was answered with ${status}`,
      );
      return status === 503;
    });
    await until('/readyz answers 503', 5000, async () => (await fetch(`${server.origin}/readyz`)).status === 503);
    ensure((await fetch(`${server.origin}/healthz`)).ok, '/healthz does not answer 200');
    ensure((await api.endpoints()).length === 2, 'the endpoints cannot be read');

    await installation.command(['check']);
    rmSync(ballast);
    const before = ledger.acknowledged.size;
    const recoveryMs = await until(
      'deliveries are accepted again',
      15_000,
      () => ledger.acknowledged.size > before + 20,
    );
    await senders.stop();
    ensure(server.output().includes('disk'), `the log does not mention the disk:\n${server.output()}`);
    await server.stop();
    await installation.command(['check']);
    await installation.start(server.port);
    const comparison = await ensureConsistent(api, endpoint, ledger, noise);
    return `${ledger.acknowledged.size} acknowledged, ${ledger.refused} refused, ${comparison.stored} stored, accepting again after ${recoveryMs.toFixed(0)} ms`;
  } finally {
    await senders.stop();
  }
}

/** Without a running server, a command opens the database itself. */
async function commandsOnFullDisk(installation: Installation): Promise<string> {
  const { server, address } = await openInbox(installation, 'full');
  for (const { body } of noise) await fetch(address, { method: 'POST', body: body.slice() });
  await server.end('SIGTERM');
  const fill = Bun.spawnSync(['dd', 'if=/dev/zero', `of=${join(installation.dataDir, 'ballast')}`], {
    stderr: 'ignore',
  });
  ensure(fill.exitCode !== 0, 'the disk is not full');
  const startedAt = performance.now();
  const found = await installation.command(['check']);
  const ms = performance.now() - startedAt;
  rmSync(join(installation.dataDir, 'ballast'));
  await installation.command(['check']);
  return `${found} [check ${ms.toFixed(0)} ms]`;
}

async function readOnly(installation: Installation): Promise<string> {
  const server = await installation.start(await freePort());
  await server.end('SIGTERM');
  ensure(run('mount', '-o', 'remount,ro', installation.dataDir), 'remounting failed');
  const startedAt = performance.now();
  const refused = await installation.run(['serve']);
  ensure(refused.exitCode !== 0 && /read-?only/i.test(refused.stderr), `${refused.exitCode} ${refused.stderr}`);
  const ms = performance.now() - startedAt;
  ensure(run('mount', '-o', 'remount,rw', installation.dataDir), 'remounting failed');
  await (await installation.start(await freePort())).end('SIGTERM');
  return `refused after ${ms.toFixed(0)} ms: ${refused.stderr.trim().split('\n').at(-1)?.slice(0, 120)}`;
}

async function damaged(installation: Installation): Promise<string> {
  const file = join(installation.dataDir, 'hooktape.db');
  const { server, api, endpoint, address } = await openInbox(installation, 'damaged');
  await fetch(address, { method: 'POST', body: '{"kept":true}' });
  // The program runs as another user, so the copy must be where that user may write.
  const copy = join(installation.dir, 'copy.db');
  await installation.command(['backup', copy]);
  await server.end('SIGTERM');
  const handle = openSync(file, 'r+');
  writeSync(handle, crypto.getRandomValues(new Uint8Array(4096)), 0, 4096, 0);
  closeSync(handle);
  const refused = await installation.run(['serve']);
  ensure(refused.exitCode === 1, `a damaged file: exit code ${refused.exitCode}\n${refused.stderr}`);
  ensure(
    /damaged|malformed|not a database/i.test(refused.stderr),
    `the message does not mention the damage: ${refused.stderr}`,
  );
  rmSync(installation.dataDir, { recursive: true });
  await installation.command(['restore', copy]);
  const again = await installation.start(server.port);
  const [page] = await Array.fromAsync(api.events(endpoint.id));
  ensure(page?.events.length === 1, 'the event is missing after the restore');
  await again.end('SIGTERM');
  return refused.stderr.trim().split('\n').at(-1)?.slice(0, 140) ?? '';
}

async function crashWithLog(installation: Installation, payloads: readonly Payload[]): Promise<string> {
  const { server, api, endpoint, address } = await openInbox(installation, 'log');
  const senders = startSenders(address, payloads, 8);
  await until('some deliveries are stored', 20_000, () => senders.ledger.acknowledged.size > 500);
  await server.end('SIGKILL');
  const log = statSync(join(installation.dataDir, 'hooktape.db-wal')).size;
  ensure(log > 0, 'there is no write-ahead log');
  await installation.start(server.port);
  const ledger = await senders.stop();
  await ensureConsistent(api, endpoint, ledger, payloads);
  return `${log >> 10} KiB of write-ahead log, ${ledger.acknowledged.size} acknowledged, none missing`;
}

export async function checkDisk({ check }: Checks, payloads: readonly Payload[]): Promise<void> {
  const checkOn = async (name: string, small: boolean, body: (it: Installation) => Promise<string>): Promise<void> => {
    // Restoring a backup needs the secret, which is otherwise in the data directory.
    const installation = install({
      HOOKTAPE_RATE_LIMIT: '1000000',
      HOOKTAPE_SECRET: 'kept apart from the data, and long enough',
    });
    const mounted = small && mountData(installation);
    try {
      if (small && !mounted) console.log(`skip  ${name}: mounting a file system needs root`);
      else await check(name, () => body(installation));
    } finally {
      if (mounted) run('umount', '--lazy', installation.dataDir);
      await installation.remove();
    }
  };
  await checkOn(
    'a full disk refuses deliveries with 503, loses nothing, and recovers when there is space',
    true,
    fullDisk,
  );
  await checkOn('a server that is killed on a full disk starts on it, and loses nothing', true, installation =>
    killedOnFullDisk(installation, noise, ballastMegabytes),
  );
  await checkOn('a command works on a full disk', true, commandsOnFullDisk);
  await checkOn('a read-only file system is reported at the start', true, readOnly);
  const forbidden = 'a journal directory without permission refuses deliveries with 503, and loses nothing';
  if (process.getuid?.() === 0)
    await checkOn(forbidden, false, installation => forbiddenJournal(installation, payloads));
  else console.log(`skip  ${forbidden}: only root runs the server as another user`);
  await checkOn('a damaged database file is refused, and a backup restores it', false, damaged);
  await checkOn('the write-ahead log of a killed server is recovered', false, installation =>
    crashWithLog(installation, payloads),
  );
}
