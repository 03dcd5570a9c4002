/*
 * Disk faults of the capture journal: a server killed while the disk is full, and a journal directory that the server may no longer
 * use. Every acknowledged delivery is stored once the fault has ended.
 */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, type Endpoint, openInbox } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import type { Installation } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { until } from '../lib/process.ts';
import { ensureConsistent, type Ledger, type Senders, startSenders } from '../lib/senders.ts';

const recoveryTimeoutMs = 15_000;

/** @throws with the reason if it does not contain the word */
async function untilUnready(origin: string, word: RegExp): Promise<string> {
  let reason = '';
  await until(`/readyz answers 503 with the reason (last: ${reason})`, 10_000, async () => {
    const response = await fetch(`${origin}/readyz`);
    reason = await response.text();
    return response.status === 503 && word.test(reason);
  });
  return reason;
}

const untilAccepting = ({ ledger }: Senders): Promise<number> => {
  const before = ledger.acknowledged.size;
  return until('deliveries are accepted again', recoveryTimeoutMs, () => ledger.acknowledged.size > before + 20);
};

/** The number of acknowledged deliveries that can be read now. */
async function readable(api: Api, endpoint: Endpoint, ledger: Ledger): Promise<number> {
  const acknowledged = new Set(ledger.acknowledged.keys());
  let count = 0;
  for await (const { events } of api.events(endpoint.id))
    count += events.filter(({ id }) => acknowledged.has(id)).length;
  return count;
}

/** @param payloads incompressible @param ballastMegabytes space freed at the end */
export async function killedOnFullDisk(
  installation: Installation,
  payloads: readonly Payload[],
  ballastMegabytes: number,
): Promise<string> {
  const ballast = join(installation.dataDir, 'ballast');
  writeFileSync(ballast, new Uint8Array(ballastMegabytes << 20));
  const { server: first, api, endpoint, address } = await openInbox(installation, 'full');
  let server = first;
  const senders = startSenders(address, payloads, 32);
  const { ledger } = senders;
  try {
    await until('deliveries are refused', 60_000, () => ledger.refused > 200);
    const reason = await untilUnready(server.origin, /disk is full|cannot be/);
    await senders.stop();
    const acknowledged = ledger.acknowledged.size;
    const readableWhileFull = await readable(api, endpoint, ledger);
    await server.end('SIGKILL');

    const starting = installation.startWithoutWaiting(server.port);
    const startedMs = await until(`it starts on a full disk: ${starting.output()}`, 20_000, () =>
      fetch(`${server.origin}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const readableAfterStart = await readable(api, endpoint, ledger);
    await starting.end('SIGKILL');

    rmSync(ballast);
    server = await installation.start(server.port);
    await ensureConsistent(api, endpoint, ledger, payloads);
    const probe = await fetch(address, { method: 'POST', body: 'x' });
    ensure(probe.ok, `with space again, a delivery was answered with ${probe.status}`);
    await server.end('SIGTERM');
    return `${acknowledged} acknowledged, ${readableWhileFull} of them readable while it was full, ${readableAfterStart} after the kill (started in ${startedMs.toFixed(0)} ms), all with space again; /readyz said ${reason.trim()}`;
  } finally {
    await senders.stop();
  }
}

/** Needs a server that does not run as root, because root ignores file permissions. */
export async function forbiddenJournal(installation: Installation, payloads: readonly Payload[]): Promise<string> {
  const directory = join(installation.dataDir, 'hooktape.db.capture');
  const { server: first, api, endpoint, address } = await openInbox(installation, 'forbidden');
  let server = first;
  const senders = startSenders(address, payloads, 16);
  const { ledger } = senders;
  try {
    await until('some deliveries are stored', 20_000, () => ledger.acknowledged.size > 300);
    chmodSync(directory, 0o000);
    const refusedMs = await until('deliveries are refused', 20_000, () => ledger.refused > 20);
    const reason = await untilUnready(server.origin, /cannot be/);
    ensure((await api.endpoints()).length === 1, 'the endpoints cannot be read');
    chmodSync(directory, 0o700);
    const healedMs = await untilAccepting(senders);
    await until('/readyz answers 200', recoveryTimeoutMs, async () => (await fetch(`${server.origin}/readyz`)).ok);

    chmodSync(directory, 0o000);
    const { refused } = ledger;
    await until('deliveries are refused again', 20_000, () => ledger.refused > refused + 20);
    await senders.stop();
    await server.end('SIGKILL');
    const start = await installation.run(['serve'], { HOOKTAPE_PORT: String(server.port) });
    ensure(
      start.exitCode !== 0 && start.exitCode < 128,
      `it started or did not exit: ${start.exitCode} ${start.stderr}`,
    );
    ensure(/the capture journal \S+ cannot be used/.test(start.stderr), `the start said: ${start.stderr}`);
    chmodSync(directory, 0o700);
    server = await installation.start(server.port);
    await ensureConsistent(api, endpoint, ledger, payloads);
    await server.end('SIGTERM');
    return `${ledger.acknowledged.size} acknowledged, all there; refusing after ${refusedMs.toFixed(0)} ms (${reason.trim()}), accepting ${healedMs.toFixed(0)} ms after it was allowed again`;
  } finally {
    await senders.stop();
  }
}
