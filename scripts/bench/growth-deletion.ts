/*
 * What it costs to remove events: a deleted endpoint, also beside capture, and the retention of many endpoints.
 *
 * To run it alone: bun scripts/bench/growth-deletion.ts [--binary dist/hooktape] [--events 200000]
 */
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Endpoint, ingestAddress } from '../lib/api.ts';
import { builtBinary, type Env } from '../lib/installation.ts';
import { type Payload, smallPayload } from '../lib/payloads.ts';
import { totalCpuMs, until } from '../lib/process.ts';
import { seed } from '../lib/seed.ts';
import { connect, deliveryRequest } from '../lib/wire.ts';
import { type Recorder, startRecorder, untilAtRest } from './recorder.ts';
import { median } from './statistics.ts';
import { fullLoad, type Load, requireWrk } from './wrk.ts';

export type Figure = { name: string; value: number; unit: string };

const settings: Env = { HOOKTAPE_PRO_ENDPOINTS: '0' };
const goneWithinMs = 600_000;
const retainedEndpoints = 1000;
/** Windows with and without a deletion alternate, so that other load on the machine affects both. */
const rounds = 3;
const windowSeconds = 5;

/** Small events, each with its own id. */
const smallEvents = (): Payload[] =>
  Array.from({ length: 5000 }, (_, number) => ({
    event: 'order.paid',
    body: new TextEncoder().encode(
      JSON.stringify({ id: `evt_${Bun.hash(`${number}`).toString(36)}`, type: 'order.paid', amount: number }),
    ),
  }));

/** @param events how many each of the three parts removes */
export async function growthDeletion(binary: string, events = 200_000): Promise<Figure[]> {
  requireWrk();
  return [
    ...(await deletedEndpoint(binary, events)),
    ...(await expiredEvents(binary, events)),
    ...(await besideCapture(binary, events)),
  ];
}

/** Waits until a query finds no events. @returns seconds */
async function untilGone({ installation }: Recorder, where: string): Promise<number> {
  const db = new Database(fileOf(installation), { readonly: true });
  try {
    const find = db.query(`SELECT 1 FROM events WHERE ${where} LIMIT 1`);
    return (await until('the events are removed', goneWithinMs, () => find.get() === null)) / 1000;
  } finally {
    db.close();
  }
}

const fileOf = ({ dataDir }: Recorder['installation']): string => join(dataDir, 'hooktape.db');
/** The server's row number of the endpoint that was created first, second, … */
const isOf = (number: number): string => `endpoint = ${number}`;
const remove = ({ api }: Recorder, { id }: Endpoint): Promise<void> => api.remove(`/api/endpoints/${id}`);

async function deletedEndpoint(binary: string, events: number): Promise<Figure[]> {
  const recorder = await startRecorder(binary, settings);
  try {
    await seed(recorder.address, smallEvents(), events);
    await untilAtRest(recorder);
    const { pid } = recorder.server;
    const bytesBefore = statSync(fileOf(recorder.installation)).size;
    const cpuBefore = totalCpuMs(pid);
    await remove(recorder, recorder.endpoint);
    const seconds = await untilGone(recorder, isOf(1));
    const cpu = totalCpuMs(pid) - cpuBefore;
    await untilAtRest(recorder);
    await recorder.server.stop();
    return [
      { name: 'deleted endpoint: CPU time for each event', value: cpu / events, unit: 'ms' },
      { name: `deleted endpoint: until ${events} events are gone`, value: seconds, unit: 's' },
      { name: 'deleted endpoint: database before', value: bytesBefore / 1e6, unit: 'MB' },
      {
        name: 'deleted endpoint: database after',
        value: statSync(fileOf(recorder.installation)).size / 1e6,
        unit: 'MB',
      },
    ];
  } finally {
    await recorder.remove();
  }
}

/** All events expire at once, because the server starts again with a shorter retention. */
async function expiredEvents(binary: string, events: number): Promise<Figure[]> {
  const recorder = await startRecorder(binary, settings);
  try {
    const addresses = [recorder.address];
    while (addresses.length < retainedEndpoints)
      addresses.push(ingestAddress(recorder.server, await recorder.api.createEndpoint(`e${addresses.length}`)));
    await seedInTurn(addresses, smallEvents(), events);
    await untilAtRest(recorder);
    await recorder.server.stop();
    const server = await recorder.installation.start(recorder.server.port, { HOOKTAPE_PRO_RETENTION: '1s' });
    // The time before the server is ready is not part of the sweep.
    const cpuBefore = totalCpuMs(server.pid);
    await untilGone(recorder, 'true');
    const cpu = totalCpuMs(server.pid) - cpuBefore;
    await server.stop();
    const name = `retention of ${retainedEndpoints} endpoints: CPU time for each event`;
    return [{ name, value: cpu / events, unit: 'ms' }];
  } finally {
    await recorder.remove();
  }
}

/** Sends deliveries to the addresses in turn, so that the events of each are spread over the whole history. */
async function seedInTurn(addresses: readonly string[], payloads: readonly Payload[], count: number): Promise<void> {
  let next = 0;
  const sender = async (): Promise<void> => {
    const connection = await connect(addresses[0] ?? '');
    while (next < count) {
      const number = next++;
      const address = addresses[number % addresses.length] ?? '';
      const request = deliveryRequest(address, payloads[number % payloads.length] ?? smallPayload());
      while ((await connection.send(request)).status === 503) await Bun.sleep(20);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 64 }, sender));
}

async function besideCapture(binary: string, events: number): Promise<Figure[]> {
  const recorder = await startRecorder(binary, settings);
  try {
    const victims: Endpoint[] = [];
    for (let round = 0; round < rounds; round++) {
      const victim = await recorder.api.createEndpoint(`victim ${round}`);
      victims.push(victim);
      await seed(ingestAddress(recorder.server, victim), smallEvents(), Math.floor(events / rounds));
    }
    await untilAtRest(recorder);
    const window = (): Promise<Load> => fullLoad(recorder.address, [smallPayload()], windowSeconds);
    await window();
    const without: Load[] = [];
    const during: Load[] = [];
    for (const [round, victim] of victims.entries()) {
      without.push(await window());
      await remove(recorder, victim);
      during.push(await window());
      // The first victim is the second endpoint.
      await untilGone(recorder, isOf(round + 2));
    }
    const rate = (loads: Load[]): number => median(loads.map(({ perSecond }) => perSecond));
    const p99 = (loads: Load[]): number => median(loads.map(({ p99Ms }) => p99Ms));
    return [
      { name: 'capture beside a deletion, share of its rate without', value: rate(during) / rate(without), unit: '' },
      { name: 'capture without a deletion: p99', value: p99(without), unit: 'ms' },
      { name: 'capture beside a deletion: p99', value: p99(during), unit: 'ms' },
    ];
  } finally {
    await recorder.remove();
  }
}

if (import.meta.main) {
  const options = { binary: { type: 'string' }, events: { type: 'string', default: '200000' } } as const;
  const { binary = builtBinary(), events } = parseArgs({ options }).values;
  for (const { name, value, unit } of await growthDeletion(binary, Number(events)))
    console.log(`${name.padEnd(60)} ${value.toFixed(4)} ${unit}`);
}
