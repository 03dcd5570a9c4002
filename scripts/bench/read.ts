/*
 * Read latency with few and with many stored events, which must be about the same: pages of 25 events and single events. Both
 * servers run at the same time and get requests alternately, so that disturbances of the machine affect both.
 */
import { parseArgs } from 'node:util';
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { freePort, type Installation, install } from '../lib/installation.ts';
import { smallPayload } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import { type Row, report } from './report.ts';
import { percentile } from './statistics.ts';

type Store = { events: number; api: Api; paths: Record<ReadKind, string[]> };
type ReadKind = (typeof readKinds)[number];
const readKinds = ['newest page', 'page at any depth', 'event detail'] as const;

const sampleSize = 500;
const warmUpRequests = 100;

export async function read(args: string[]): Promise<void> {
  const options = {
    events: { type: 'string', default: '10000,1000000' },
    requests: { type: 'string', default: '2000' },
  } as const;
  const { values } = parseArgs({ args, options });
  const counts = values.events.split(',').map(Number);
  const requests = Number(values.requests);
  const stores: Store[] = [];
  const installations: Installation[] = [];
  try {
    for (const count of counts) {
      const installation = install({ HOOKTAPE_LOG_LEVEL: 'warn', HOOKTAPE_RATE_LIMIT: '1000000' });
      installations.push(installation);
      stores.push(await fill(installation, count));
    }
    const times = new Map<string, number[]>(readKinds.flatMap(kind => counts.map(events => [`${kind} ${events}`, []])));
    for (const kind of readKinds) {
      for (let number = -warmUpRequests; number < requests; number++) {
        for (const { api, paths, events } of stores) {
          const path = paths[kind][Math.floor(Math.random() * paths[kind].length)] ?? '';
          const startedAt = performance.now();
          await (await api.get(path)).arrayBuffer();
          const key = `${kind} ${events}`;
          const elapsed = performance.now() - startedAt;
          if (number >= 0) times.get(key)?.push(elapsed);
        }
      }
    }
    const p95 = (kind: ReadKind, events: number) =>
      percentile(
        (times.get(`${kind} ${events}`) ?? []).toSorted((a, b) => a - b),
        95,
      );
    const [small = 0, ...larger] = counts;
    const rows: Row[] = larger.flatMap(events =>
      readKinds.map(kind => ({
        what: `${kind}, p95 at ${events.toLocaleString('en-US')} events (baseline: ${small.toLocaleString('en-US')})`,
        ours: p95(kind, events),
        baseline: p95(kind, small),
        unit: 'ms',
        goal: { atMost: 1.5 },
      })),
    );
    report('read', rows, { requests, counts });
  } finally {
    for (const installation of installations) await installation.remove();
  }
}

async function fill(installation: Installation, events: number): Promise<Store> {
  const server = await installation.start(await freePort());
  const api = await firstApi(installation, server);
  const endpoint = await api.createEndpoint('bench');
  const { seconds, sample } = await seed(ingestAddress(server, endpoint), [smallPayload()], events, sampleSize);
  console.log(`${events} events stored in ${seconds.toFixed(0)} s`);

  // Cursors are opaque, so read every page, count the events, and keep cursors of every depth.
  const list = `/api/events?endpointId=${endpoint.id}&limit=25`;
  const cursors: string[] = [];
  let listed = 0;
  let page = 0;
  const every = Math.max(1, Math.floor(events / 100 / sampleSize));
  for await (const { events: found, nextCursor } of api.events(endpoint.id)) {
    listed += found.length;
    if (nextCursor !== null && page++ % every === 0) cursors.push(`${list}&cursor=${encodeURIComponent(nextCursor)}`);
  }
  if (listed !== events) throw new Error(`${events} events were acknowledged, but ${listed} are listed`);
  const paths = {
    'newest page': [list],
    'page at any depth': cursors,
    'event detail': sample.map(id => `/api/events/${id}`),
  };
  return { events, api, paths };
}
