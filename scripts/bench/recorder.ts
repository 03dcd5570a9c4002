/* Starts the built program, or a baseline executable, with an endpoint that accepts deliveries. */

import { freePort } from '../../src/testing/free-port.ts';
import { type Api, type Endpoint, firstApi, ingestAddress } from '../lib/api.ts';
import { builtBinary, type Env, type Installation, install, type Server } from '../lib/installation.ts';
import { cpuMs } from '../lib/process.ts';

export type Recorder = {
  installation: Installation;
  server: Server;
  api: Api;
  endpoint: Endpoint;
  address: string;
  /** Stops the program and removes all its files. */
  remove: () => Promise<void>;
};

/** The program that a value belongs to: the one under test, or the baseline. */
export type Program = { side: Side; binary: string };
export type Side = 'ours' | 'baseline';

/** @param baselineBinary path of the baseline executable; undefined to measure no baseline */
export const programs = (baselineBinary?: string): Program[] => [
  ...(baselineBinary === undefined ? [] : [{ side: 'baseline', binary: baselineBinary } as const]),
  { side: 'ours', binary: builtBinary() },
];

export async function startRecorder(binary: string = builtBinary(), settings: Env = {}): Promise<Recorder> {
  const defaults = { HOOKTAPE_LOG_LEVEL: 'warn', HOOKTAPE_RATE_LIMIT: '1000000' };
  const installation = install({ ...defaults, ...settings }, [], { built: binary });
  try {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const endpoint = await api.createEndpoint('bench');
    const address = ingestAddress(server, endpoint);
    return { installation, server, api, endpoint, address, remove: installation.remove };
  } catch (error) {
    await installation.remove();
    throw error;
  }
}

/** The number of events of the endpoint. */
export async function storedEvents({ api, endpoint }: Pick<Recorder, 'api' | 'endpoint'>): Promise<number> {
  const found = (await api.endpoints()).find(({ id }) => id === endpoint.id);
  return found?.eventCount ?? 0;
}

/** The current value of a metric; undefined if the program does not have it. */
export async function metric({ api }: Pick<Recorder, 'api'>, name: string): Promise<number | undefined> {
  const text = await (await api.get('/metrics')).text();
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

const sampleMs = 500;
/** The share of one core that still counts as idle. */
const quietShare = 0.03;

/**
 * Waits until all background work is done: for `quietMs` the process uses almost no CPU time and the database does not change its
 * size. @returns the seconds waited @throws if the program is still busy after `withinMs`
 */
export async function untilAtRest(
  recorder: Pick<Recorder, 'api' | 'server'>,
  { quietMs = 2000, withinMs = 1_800_000 } = {},
): Promise<number> {
  const startedAt = performance.now();
  let busyAt = startedAt;
  let size: number | undefined;
  while (performance.now() - busyAt < quietMs) {
    if (performance.now() - startedAt > withinMs) throw new Error(`still busy after ${withinMs / 1000} s`);
    const used = await cpuMs(recorder.server.pid, sampleMs);
    const before = size;
    size = await metric(recorder, 'hooktape_database_bytes');
    if (used > sampleMs * quietShare || size !== before) busyAt = performance.now();
  }
  return (busyAt - startedAt) / 1000;
}
