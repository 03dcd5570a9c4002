/* A copy of the built program, or of an earlier one that it is compared with, with an endpoint to deliver to. */
import { type Api, type Endpoint, firstApi, ingestAddress } from '../lib/api.ts';
import { builtBinary, type Env, freePort, type Installation, install, type Server } from '../lib/installation.ts';
import { cpuMs } from '../lib/process.ts';

export type Recorder = {
  installation: Installation;
  server: Server;
  api: Api;
  endpoint: Endpoint;
  address: string;
  /** Stops it and removes all its files. */
  remove: () => Promise<void>;
};

/** Which program a figure is of: the one under test, or the earlier one. */
export type Program = { side: Side; binary: string };
export type Side = 'ours' | 'baseline';

/** @param baselineBinary path of the earlier program's executable, if it is to be measured */
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

/** How many events the endpoint has. */
export async function storedEvents({ api, endpoint }: Pick<Recorder, 'api' | 'endpoint'>): Promise<number> {
  const found = (await api.endpoints()).find(({ id }) => id === endpoint.id);
  return found?.eventCount ?? 0;
}

/** The current level of one of the program's metrics; undefined when it has none of that name. */
export async function metric({ api }: Pick<Recorder, 'api'>, name: string): Promise<number | undefined> {
  const text = await (await api.get('/metrics')).text();
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

const sampleMs = 500;
/** Of one core. */
const quietShare = 0.03;

/**
 * Waits until nothing is left to do in the background: the process takes next to no CPU time, and the database keeps its size,
 * for `quietMs`. @returns how long it took, in seconds. @throws when it is still busy after `withinMs`.
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
