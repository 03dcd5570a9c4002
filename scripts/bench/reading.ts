/*
 * Measures pages, details and searches of several histories. All servers run at once and the requests alternate between them, so
 * that other load on the machine affects all of them.
 */
import { builtBinary } from '../lib/installation.ts';
import { orderPayloads } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import { getMs, type Haystack, rareOrder, searchMs, type Term, terms } from './queries.ts';
import { type Recorder, startRecorder, untilAtRest } from './recorder.ts';
import { percentile } from './statistics.ts';

export type Kind = 'newest page' | 'page at any depth' | 'event detail' | `search, ${Term} term`;
export const readingKinds: readonly Kind[] = [
  'newest page',
  'page at any depth',
  'event detail',
  ...terms.map(term => `search, ${term} term` as const),
];

export type Store = { name: string; events: number; binary?: string };
/** p95 in ms, by store and kind. */
export type Times = Record<string, Record<Kind, number>>;

type Filled = Store & { ask: Record<Kind, () => Promise<number>> };

const sampleSize = 500;
const warmUpRequests = 100;

/** Fills the stores through the ingest URL, waits until each is at rest, and measures reads of all of them. */
export async function readTimes(stores: readonly Store[], requests: number): Promise<Times> {
  const recorders: Recorder[] = [];
  const filled: Filled[] = [];
  try {
    for (const store of stores) {
      const recorder = await startRecorder(store.binary ?? builtBinary());
      recorders.push(recorder);
      filled.push({ ...store, ask: await fill(recorder, store) });
    }
    const times: Times = {};
    for (const kind of readingKinds) {
      const taken = filled.map((): number[] => []);
      for (let number = -warmUpRequests; number < requests; number++)
        for (const [index, { ask }] of filled.entries()) {
          const ms = await ask[kind]();
          if (number >= 0) taken[index]?.push(ms);
        }
      for (const [index, { name }] of filled.entries()) {
        const sorted = (taken[index] ?? []).toSorted((a, b) => a - b);
        times[name] = { ...times[name], [kind]: percentile(sorted, 95) } as Record<Kind, number>;
        console.log(`${kind.padEnd(20)}  ${name.padEnd(12)}  p95 ${percentile(sorted, 95).toFixed(2)} ms`);
      }
    }
    return times;
  } finally {
    for (const { remove } of recorders) await remove();
  }
}

async function fill(recorder: Recorder, { name, events }: Store): Promise<Filled['ask']> {
  const { address, api, endpoint } = recorder;
  const { rare, payload } = rareOrder();
  await seed(address, [payload], 1);
  const { seconds, sample } = await seed(address, orderPayloads(1000), events - 1, sampleSize);
  const restSeconds = await untilAtRest(recorder);
  console.log(
    `${name}: ${events} events in ${seconds.toFixed(0)} s, at rest after another ${restSeconds.toFixed(0)} s`,
  );

  // Cursors are opaque, so one pass over the complete list collects cursors of every depth, and counts the events.
  const list = `/api/events?endpointId=${endpoint.id}&limit=25`;
  const cursors: string[] = [];
  let met = 0;
  let page = 0;
  const every = Math.max(1, Math.floor(events / 100 / sampleSize));
  for await (const { events: found, nextCursor } of api.events(endpoint.id)) {
    met += found.length;
    if (nextCursor !== null && page++ % every === 0) cursors.push(`${list}&cursor=${encodeURIComponent(nextCursor)}`);
  }
  if (met !== events) throw new Error(`${events} events were acknowledged, but the list has ${met}`);

  const haystack: Haystack = { api, endpointId: endpoint.id, rare };
  const anyOf = (paths: readonly string[]) => () => getMs(api, paths[Math.floor(Math.random() * paths.length)] ?? list);
  return {
    'newest page': anyOf([list]),
    'page at any depth': anyOf(cursors),
    'event detail': anyOf(sample.map(id => `/api/events/${id}`)),
    'search, absent term': () => searchMs(haystack, 'absent'),
    'search, rare term': () => searchMs(haystack, 'rare'),
    'search, common term': () => searchMs(haystack, 'common'),
  };
}
