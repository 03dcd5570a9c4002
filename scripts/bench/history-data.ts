/*
 * The data set for the history benchmarks: GitHub examples with different hashes in every event. Nearly all events are in one
 * endpoint and a few in another. One event of each has a rare term; single events of the large one have a rare type, method, platform
 * or size. It is built once for each size and kept in .bench/.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toFieldLines } from '../../src/core/headers.ts';
import { openServices } from '../lib/from-source.ts';
import { githubPayloads } from '../lib/payloads.ts';

export type History = {
  dataDir: string;
  key: string;
  /** Endpoint ids. */
  all: string;
  few: string;
  fewEvents: number;
  /** A term of 20 characters in one event of each endpoint. */
  rare: string;
  /** Between the times of receipt of the older and the newer half, epoch ms. */
  middleAt: number;
  receivedBytes: number;
  indexBytes: number;
  databaseBytes: number;
  captureSeconds: number;
  /** From the last delivery until all full signatures are in runs. */
  indexSeconds: number;
};

const fewEventsGoal = 200;
const concurrentDeliveries = 256;

/** Returns the data set with this number of events, and builds it if necessary. */
export async function history(events: number): Promise<History> {
  const dir = join(import.meta.dir, `../../.bench/history-${events}-planted`);
  const about = join(dir, 'about.json');
  // The directory may have been moved since it was built.
  if (existsSync(about)) return { ...(JSON.parse(readFileSync(about, 'utf8')) as History), dataDir: dir };
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const built = await build(dir, events);
  writeFileSync(about, `${JSON.stringify(built, null, 2)}\n`);
  return built;
}

/** Events that are the only ones of their kind: their place in the history, and their properties. */
const planted: { part: number; method?: string; event?: string; fields?: string[]; padding?: number }[] = [
  { part: 1 / 4, method: 'DELETE' },
  { part: 1 / 5, event: 'rare.thing' },
  { part: 1 / 6, fields: ['Content-Type', 'application/json', 'Stripe-Signature', 't=1,v1=0'] },
  { part: 1 / 7, padding: 70_000 },
];

async function build(dataDir: string, events: number): Promise<History> {
  const services = await openServices(dataDir);
  const { account, keys, endpoints, capture, background, database, clock } = services;
  const { id: accountId } = await account.create({ email: 'owner@example.com', plan: 'pro' });
  const { key } = await keys.create(accountId, 'bench');
  const [team] = (await database.client.execute('SELECT id FROM teams')).rows;
  const owner = { teamId: String(team?.[0]), plan: 'pro' as const };
  const [all, few] = [await endpoints.create(owner, 'all'), await endpoints.create(owner, 'few')];
  const addresses = await Promise.all([all, few].map(one => endpoints.owned(owner, one.id)));
  const texts = githubPayloads().map(({ event, body }) => ({ event, text: new TextDecoder().decode(body) }));
  const rare = `q7${randomHex(9)}`;
  const every = Math.max(1, Math.floor(events / fewEventsGoal));
  let receivedBytes = 0;
  let fewEvents = 0;
  let middleAt = 0;

  const startedAt = performance.now();
  for (let first = 0; first < events; first += concurrentDeliveries) {
    const group = Array.from({ length: Math.min(concurrentDeliveries, events - first) }, (_, i) => first + i);
    await Promise.all(
      group.map(number => {
        const { event, text } = texts[number % texts.length] ?? { event: '', text: '' };
        const own = text.replace(/[0-9a-f]{40}/g, () => randomHex(20));
        const isFew = number % every === every - 1;
        const isRare = number === Math.floor(events / 3) || number === every * Math.floor(fewEventsGoal / 2) - 1;
        const plant = isFew ? undefined : planted.find(({ part }) => Math.floor(events * part) === number);
        const padded = plant?.padding ? own.replace('{', `{"padding":"${' '.repeat(plant.padding)}",`) : own;
        const body = Buffer.from(isRare ? padded.replace('{', `{"rare":"${rare}",`) : padded);
        receivedBytes += body.length;
        if (isFew) fewEvents++;
        const { seq = 0, token = '' } = addresses[isFew ? 1 : 0] ?? {};
        return capture.record(
          { seq, token },
          {
            method: plant?.method ?? 'POST',
            path: '',
            query: null,
            fields: toFieldLines(plant?.fields ?? githubHeaders(plant?.event ?? event)),
            body,
            sourceIp: '127.0.0.1',
            receivedAt: clock.now(),
          },
        );
      }),
    );
    if (first < events / 2) middleAt = clock.now();
    if ((first / concurrentDeliveries) % 200 === 0) console.log(`${first} of ${events} events captured`);
  }
  const captured = performance.now();
  await background.idle();
  const indexed = performance.now();
  const problems = await services.search.checkIndex();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  // Includes the overhead of a row in addition to its largest column.
  const { rows } = await database.scanClient.execute(
    `SELECT (SELECT ifnull(sum(length(filter) + length(facts) + 60), 0) FROM block_signatures)
       + (SELECT ifnull(sum(length(slices) + 10), 0) FROM signature_slices)
       + (SELECT ifnull(sum(length(blocks) + 40), 0) FROM signature_runs)`,
  );
  await services.close();
  return {
    dataDir,
    key,
    all: all.id,
    few: few.id,
    fewEvents,
    rare,
    middleAt,
    receivedBytes,
    indexBytes: Number(rows[0]?.[0]),
    databaseBytes: readdirSync(dataDir)
      .filter(name => name.includes('.db'))
      .reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0),
    captureSeconds: (captured - startedAt) / 1000,
    indexSeconds: (indexed - captured) / 1000,
  };
}

/** Each delivery has a different id, like GitHub's. */
const githubHeaders = (event: string): string[] => [
  'Content-Type',
  'application/json',
  'X-GitHub-Event',
  event,
  'X-GitHub-Delivery',
  crypto.randomUUID(),
];

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}
