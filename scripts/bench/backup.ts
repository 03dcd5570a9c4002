/*
 * The cost of the continuous backup for capture: the same program with a backup to an object store, and without one. The store is in
 * memory, in this process. Every measurement uses a new server and database; both sides alternate.
 */
import { freePort } from '../../src/testing/free-port.ts';
import { openMemoryStore } from '../../src/testing/object-store/memory-store.ts';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { type Env, install } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import type { PartResult } from './goal-part.ts';
import { interleaved, medians } from './rounds.ts';
import { fullLoad } from './wrk.ts';

const warmUpSeconds = 2;
const sides = ['with a backup', 'without'] as const;

/** @param sets payloads by their name in the table */
export async function backupRows(
  sets: Record<string, readonly Payload[]>,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<PartResult> {
  const rows: PartResult['rows'] = [];
  const details: Record<string, unknown> = {};
  for (const [name, payloads] of Object.entries(sets)) {
    const rates = await interleaved(sides, rounds, name, side => saturate(side === 'with a backup', payloads, seconds));
    rows.push({
      what: `capture with a backup / without, ${name}`,
      ...medians(rates, 'with a backup', 'without'),
      unit: '/s',
      goal: { atLeast: 0.97 },
    });
    details[`backup, ${name}`] = rates;
  }
  return { rows, details };
}

/** Durable deliveries per second, from the start of the server on. */
async function saturate(isBackedUp: boolean, payloads: readonly Payload[], seconds: number): Promise<number> {
  const store = await openMemoryStore();
  const env: Env = {
    HOOKTAPE_LOG_LEVEL: 'warn',
    ...(isBackedUp && {
      HOOKTAPE_SECRET: 'the secret of this benchmark, long enough',
      HOOKTAPE_BACKUP_S3: `s3://${store.bucket}/bench`,
      HOOKTAPE_S3_ENDPOINT: store.endpoint,
      HOOKTAPE_S3_ACCESS_KEY_ID: store.settings.accessKeyId,
      HOOKTAPE_S3_SECRET_ACCESS_KEY: store.settings.secretAccessKey,
      // At least one upload falls into the time that is measured.
      HOOKTAPE_BACKUP_EVERY: `${Math.min(10, Math.ceil(seconds / 3))}s`,
    }),
  };
  const installation = install(env);
  try {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const endpoint = await api.createEndpoint('bench');
    const address = ingestAddress(server, endpoint);
    await fullLoad(address, payloads, warmUpSeconds);
    const before = store.uploadedBytes();
    const { perSecond } = await fullLoad(address, payloads, seconds);
    ensure(!isBackedUp || store.uploadedBytes() > before, 'nothing was uploaded while it was measured');
    return perSecond;
  } finally {
    await installation.remove();
    await store.close();
  }
}
