/* What open event streams cost: CPU while nothing happens, and CPU for each captured delivery. */
import { readFileSync } from 'node:fs';
import { createApi } from '../lib/api.ts';
import { cpuMs } from '../lib/process.ts';
import { type Recorder, startRecorder } from './recorder.ts';

export type Measured = { name: string; value: number; unit: string };

const streams = 200;
/** The limit of an account. */
const streamsPerAccount = 20;
const idleMs = 60_000;
const deliveries = 2000;
/** Deliveries that are sent at the same time. */
const concurrency = 4;
const warmUp = 200;

type Streams = { close: () => Promise<void> };

/** Keys of members of the team, as many as the streams need. */
async function memberKeys({ installation }: Recorder): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < streams / streamsPerAccount; i++) {
    const email = `member-${i}@example.com`;
    await installation.command(['account', 'create', email, '--team-of', 'owner@example.com']);
    keys.push(await installation.command(['key', 'create', 'streams', '--account', email]));
  }
  return keys;
}

async function openStreams({ server, endpoint }: Recorder, keys: readonly string[], where = ''): Promise<Streams> {
  const abort = new AbortController();
  const query = where === '' ? '' : `?where=${encodeURIComponent(where)}`;
  const readers: Promise<unknown>[] = [];
  for (let i = 0; i < streams; i++) {
    const api = createApi(server.origin, keys[i % keys.length] ?? '');
    const response = await api.get(`/api/endpoints/${endpoint.id}/stream${query}`, abort.signal);
    readers.push(response.body?.pipeTo(new WritableStream()).catch(() => {}) ?? Promise.resolve());
  }
  return {
    async close() {
      abort.abort();
      await Promise.all(readers);
    },
  };
}

/** The CPU time of all threads since the start of the process, ms. */
function usedMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function deliver(address: string, count: number): Promise<void> {
  let left = count;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const body = JSON.stringify({ type: 'order.paid', number: left });
      const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      if (!response.ok) throw new Error(`a delivery was answered with ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, send));
}

async function msPerCapture({ server, address }: Recorder): Promise<number> {
  await deliver(address, warmUp);
  const before = usedMs(server.pid);
  await deliver(address, deliveries);
  // The streams get the last events a moment later.
  await Bun.sleep(1000);
  return (usedMs(server.pid) - before) / deliveries;
}

/** @param binary path of the executable to measure */
export async function measureStreams(binary: string): Promise<Measured[]> {
  const recorder = await startRecorder(binary);
  try {
    const keys = await memberKeys(recorder);
    const measured: Measured[] = [];
    const record = (name: string, value: number, unit: string): void => void measured.push({ name, value, unit });
    const withStreams = async (name: string, where: string): Promise<void> => {
      const open = await openStreams(recorder, keys, where);
      record(name, await msPerCapture(recorder), 'ms');
      await open.close();
    };

    const idle = await openStreams(recorder, keys);
    // Starting and connecting is not measured.
    await Bun.sleep(3000);
    record(`CPU of ${streams} idle streams`, (100 * (await cpuMs(recorder.server.pid, idleMs))) / idleMs, '%');
    await idle.close();
    record('CPU of a capture without streams', await msPerCapture(recorder), 'ms');
    await withStreams(`CPU of a capture with ${streams} streams`, '');
    await withStreams(`CPU of a capture with ${streams} streams whose filters match nothing`, 'body.type:nothing');
    return measured;
  } finally {
    await recorder.remove();
  }
}
