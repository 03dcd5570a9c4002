/*
 * Disk space per delivery: all database files with the search index, at rest. At rest means that the index has caught up, the size
 * has stopped changing, and a clean shutdown has checkpointed the write-ahead log.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { freePort, install } from '../lib/installation.ts';
import { githubPayloads, type Payload, stripePayloads } from '../lib/payloads.ts';
import { until } from '../lib/process.ts';
import { seed } from '../lib/seed.ts';
import type { Row } from './report.ts';

const githubEvents = 38_161;
const stripeEvents = 40_000;
const indexTimeoutMs = 20 * 60_000;
const settledAfterMs = 5000;

type DiskUsage = {
  events: number;
  receivedBytes: number;
  databaseBytes: number;
  capturedSeconds: number;
  settledSeconds: number;
};

export async function diskRows(): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const github = await measureDisk(githubPayloads(), githubEvents);
  const stripe = await measureDisk(stripePayloads(stripeEvents), stripeEvents);
  const row = (what: string, { receivedBytes, databaseBytes }: DiskUsage): Row => ({
    what: `bytes on disk per byte received, at rest, ${what}`,
    ours: databaseBytes / receivedBytes,
    unit: '',
  });
  return {
    rows: [row('GitHub examples (9.9 KB)', github), row('Stripe-like events (1 KB)', stripe)],
    details: { disk: { github, stripe } },
  };
}

async function measureDisk(payloads: readonly Payload[], events: number): Promise<DiskUsage> {
  const installation = install({ HOOKTAPE_LOG_LEVEL: 'warn' });
  try {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const address = ingestAddress(server, await api.createEndpoint('disk'));
    const { bytes, seconds } = await seed(address, payloads, events);
    const startedAt = performance.now();
    await untilSettled(api, server.origin);
    const settledSeconds = (performance.now() - startedAt) / 1000;
    await server.end('SIGTERM');
    const files = readdirSync(installation.dataDir).filter(name => name.includes('.db'));
    const databaseBytes = files.reduce((sum, name) => sum + statSync(join(installation.dataDir, name)).size, 0);
    console.log(
      `${events} events, ${bytes} bytes: captured in ${seconds.toFixed(0)} s, at rest after ${settledSeconds.toFixed(0)} s, ${databaseBytes} bytes`,
    );
    return { events, receivedBytes: bytes, databaseBytes, capturedSeconds: seconds, settledSeconds };
  } finally {
    await installation.remove();
  }
}

/** Waits until every event is indexed and the database's size has not changed for some seconds. */
async function untilSettled(api: Api, origin: string): Promise<void> {
  let last = -1;
  let changedAt = performance.now();
  await until('the search index has caught up', indexTimeoutMs, async () => {
    const text = await (await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${api.key}` } })).text();
    const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    const [lag, size] = [metric('hooktape_index_lag_events'), metric('hooktape_database_bytes')];
    if (size !== last || lag !== 0) changedAt = performance.now();
    last = size;
    return performance.now() - changedAt > settledAfterMs;
  });
}
