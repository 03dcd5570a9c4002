/*
 * `bun scripts/proofs/listen-kills.ts [EVENTS] [KILLS]`: 10,000 events while server, listener, target and the connection between listener
 * and server are killed 100 times. Every event must reach each matching map and get a 2xx, in order at its first attempt, and
 * the position must never be past an event without a 2xx. Uses dist/hooktape. Exits with 1 if there is a problem.
 */
import { decodeFeedCursor } from '../../src/core/ids/feed-cursor.ts';
import { parseEventId } from '../../src/core/ids/ids.ts';
import { ensure } from '../lib/checks.ts';
import { builtBinary } from '../lib/installation.ts';
import { until } from '../lib/process.ts';
import { type Delivered, openWorld, type World } from './listen-world.ts';

type Stored = { id: string; seq: number; kind: string };
type Outcome = {
  events: number;
  kills: Record<string, number>;
  requests: number;
  repeated: number;
  refused: number;
  seconds: number;
};

const kinds = ['a', 'b', 'ab', 'c'];
const sendersAtOnce = 4;
const maxDownMs = 400;
const maxStepMs = 600;
const drainMs = 180_000;

/** @param random from 0 to 1 */
export async function proveListening(
  command: readonly string[],
  { events, kills, random = Math.random }: { events: number; kills: number; random?: () => number },
): Promise<Outcome> {
  const startedAt = performance.now();
  const world = await openWorld(command);
  try {
    const counts: Record<string, number> = { server: 0, listener: 0, target: 0, connection: 0 };
    const names = Object.keys(counts) as (keyof World['kill'])[];
    const read = createReader(world);
    for (let step = 0, sent = 0; step < kills; step++) {
      const upTo = Math.round(((step + 1) * events) / kills);
      const sending = send(world, sent, upTo, random);
      await Bun.sleep(random() * maxStepMs);
      const name = names[step % names.length] as keyof World['kill'];
      await world.kill[name](random() * maxDownMs);
      counts[name] = (counts[name] ?? 0) + 1;
      await sending;
      sent = upTo;
      await checkPosition(world, read);
      world.keepListening();
    }
    await until('nothing is waiting', drainMs, async () => {
      world.keepListening();
      return (await world.position()).behind === 0;
    });
    ensure((await world.stopListener()) === 0, 'the listener did not end with 0');
    await checkPosition(world, read);
    const stored = await read();
    ensure(stored.length >= events, `${stored.length} events are stored, not ${events}`);
    const delivered = world.delivered();
    checkAll(world, stored, delivered);
    const accepted = delivered.filter(({ status }) => status === 200);
    const wanted = stored.reduce((sum, { kind }) => sum + world.pathsOf(kind).length, 0);
    return {
      events: stored.length,
      kills: counts,
      requests: delivered.length,
      repeated: accepted.length - wanted,
      refused: delivered.length - accepted.length,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    await world.close();
  }
}

/** Sends like a platform: retries each event until it gets a 2xx. */
async function send(world: World, from: number, to: number, random: () => number): Promise<void> {
  let next = from;
  await Promise.all(
    Array.from({ length: sendersAtOnce }, async () => {
      while (next < to) {
        const n = next++;
        const body = JSON.stringify({ n, kind: kinds[Math.floor(random() * kinds.length)] });
        const headers = { 'content-type': 'application/json' };
        await until(`event ${n} is taken`, drainMs, () =>
          fetch(world.ingestUrl, { method: 'POST', body, headers }).then(
            ({ ok }) => ok,
            () => false,
          ),
        );
      }
    }),
  );
}

/** @returns all stored events, in the order of the feed; each call reads only new events */
function createReader({ api, endpoint }: World): () => Promise<readonly Stored[]> {
  const stored: Stored[] = [];
  let after = 'start';
  return async () => {
    for (let more = true; more; ) {
      const query = `after=${after}&limit=100&content=full`;
      const page = (await (await api.get(`/api/endpoints/${endpoint.id}/feed?${query}`)).json()) as {
        events: { id: string; payloadRaw: string }[];
        cursor: string;
        more: boolean;
      };
      for (const { id, payloadRaw } of page.events)
        stored.push({ id, seq: parseEventId(id)?.seq ?? 0, kind: JSON.parse(payloadRaw).kind });
      ({ cursor: after, more } = page);
    }
    return stored;
  };
}

const acceptedOf = (delivered: readonly Delivered[]): Set<string> =>
  new Set(delivered.flatMap(({ status, path, event }) => (status === 200 ? [`${path} ${event}`] : [])));

/** Reads the position before the log of the target, so that all events before the position must already be in the log. */
async function checkPosition(world: World, read: () => Promise<readonly Stored[]>): Promise<void> {
  const { cursor } = await world.position();
  const position = decodeFeedCursor(world.endpoint.id, cursor) ?? 0;
  const accepted = acceptedOf(world.delivered());
  const settled = (await read()).filter(({ seq }) => seq <= position);
  for (const { id, kind } of settled)
    for (const path of world.pathsOf(kind))
      ensure(accepted.has(`${path} ${id}`), `the position is past ${id}, which ${path} has not accepted`);
}

function checkAll(world: World, stored: readonly Stored[], delivered: readonly Delivered[]): void {
  const seqs = new Map(stored.map(({ id, seq }) => [id, seq]));
  const accepted = acceptedOf(delivered);
  for (const { id, kind } of stored)
    for (const path of ['/a', '/b', '/rest'])
      ensure(accepted.has(`${path} ${id}`) === world.pathsOf(kind).includes(path), `${id} (${kind}) at ${path}`);
  for (const path of ['/a', '/b', '/rest']) {
    const first = new Set(delivered.flatMap(one => (one.status === 200 && one.path === path ? [one.event] : [])));
    const order = [...first].map(id => seqs.get(id) ?? 0);
    const at = order.findIndex((seq, index) => index > 0 && seq < (order[index - 1] ?? 0));
    ensure(at < 0, `${path}: event ${order[at]} came after ${order[at - 1]}`);
  }
}

if (import.meta.main) {
  const [events = '10000', kills = '100'] = process.argv.slice(2);
  console.log(await proveListening([builtBinary()], { events: Number(events), kills: Number(kills) }));
}
