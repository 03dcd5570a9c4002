/* The feed is complete: while events arrive, are imported, deleted and pinned, through restarts, and after a crash. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHeldFiling } from '../../testing/held-filing.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import type { Consumer } from '../consumers/model.ts';
import type { FeedPage } from './model.ts';

type Endpoint = { id: string; url: string };

/** A client whose server may be replaced by another one on the same data. */
function createClient(key: string) {
  let server: TestServer;
  const call = async (method: string, path: string, body?: object): Promise<Response> =>
    server.fetch(path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    call,
    use: (next: TestServer) => {
      server = next;
    },
    async json<T>(method: string, path: string, body?: object): Promise<T> {
      const answer = await call(method, path, body);
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    },
  };
}
type Client = ReturnType<typeof createClient>;

/** Numbers that look random and are the same in each run. */
function createNumbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

/** Reads with different limits, waits and contents, keeps its position as a consumer, and goes on there in each round. */
async function follow(client: Client, { id }: Endpoint, isOver: () => boolean, seen: string[], seed: number) {
  const number = createNumbers(seed);
  const consumer = `/api/endpoints/${id}/consumers/reader-${seed}`;
  const known = await client.call('GET', consumer);
  let after = known.status === 200 ? ((await known.json()) as Consumer).cursor : 'start';
  for (let isDone = false; !isDone; ) {
    isDone = isOver();
    const content = number(2) === 0 ? 'none' : 'full';
    const query = `after=${after}&limit=${1 + number(40)}&wait=${isDone ? 0 : number(2)}&content=${content}`;
    const page = await client.json<FeedPage>('GET', `/api/endpoints/${id}/feed?${query}`);
    seen.push(...page.events.map(event => event.id));
    after = page.cursor;
    isDone &&= !page.more;
    const { cursor } = await client.json<Consumer>('PUT', consumer, { cursor: after });
    expect(cursor).toBe(after);
  }
}

test.each([1, 2])(
  'every acknowledged event comes exactly once and in order to each reader, through restarts (seed %d)',
  async seed => {
    const number = createNumbers(seed);
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    const env = { HOOKTAPE_SECRET: 'the secret of this test, long enough' };
    let server = await openTestServer({ directory, env });
    const ada = await server.createAccount();
    const [watched, other, source] = [
      await ada.createEndpoint(),
      await ada.createEndpoint(),
      await ada.createEndpoint(),
    ] as const;
    const client = createClient(ada.key);
    client.use(server);
    for (let n = 0; n < 5; n++) await server.deliver(source, `exported ${n}`);
    const { events: exported } = await client.json<{ events: unknown[] }>('GET', `/api/endpoints/${source.id}/export`);
    const acknowledged = new Set<string>();
    const deleted = new Set<string>();
    const seen: string[][] = [[], [], []];

    for (let round = 0; round < 3; round++) {
      let isOver = false;
      const deliver = async (): Promise<void> => {
        for (let n = 0; n < 40; n++) {
          const endpoint = number(4) === 0 ? other : watched;
          const id = await server.deliver(endpoint, `{"round":${round},"n":${n}}`);
          if (endpoint === watched) acknowledged.add(id);
          if (endpoint === watched && number(8) === 0) await client.json('PUT', `/api/events/${id}/pin`, {});
          else if (endpoint === watched && number(10) === 0) {
            deleted.add(id);
            await client.json('DELETE', `/api/events/${id}`);
          }
        }
      };
      const readers = seen.map((own, i) => follow(client, watched, () => isOver, own, 10 * seed + i));
      await Promise.all([
        ...Array.from({ length: 4 }, deliver),
        ...(round === 1 ? [server.services.imports.add(watched.id, exported)] : []),
      ]);
      isOver = true;
      await Promise.all(readers);
      await server.close();
      server = await openTestServer({ directory, env });
      client.use(server);
    }

    const listed = await client.json<FeedPage>('GET', `/api/endpoints/${watched.id}/feed?limit=100`);
    const imported = seen[0]?.filter(id => !acknowledged.has(id)) ?? [];
    expect(imported).toHaveLength(5);
    const expected = [...acknowledged, ...imported].sort();
    expect(listed.events.map(({ id }) => id)).toEqual(expected.filter(id => !deleted.has(id)).slice(0, 100));
    for (const own of seen) {
      expect(own).toEqual([...new Set(own)].sort());
      // A deleted event may have been read before it was deleted.
      expect(own.filter(id => !deleted.has(id))).toEqual(expected.filter(id => !deleted.has(id)));
    }
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  },
  120_000,
);

describe.skipIf(isRemote)('while deliveries are acknowledged and not rows yet', () => {
  test('a call waits for them, and a waiting one gets each once', async () => {
    const harness = await openHeldFiling();
    const client = createClient(harness.ada.key);
    client.use(harness.server);
    const read = (query: string) => client.json<FeedPage>('GET', `/api/endpoints/${harness.endpoint.id}/feed?${query}`);
    try {
      const waiting = read('wait=25');
      await eventually(() => harness.server.services.notifications.openTails() === 1);
      harness.hold();
      const ids = await harness.deliverAll('a', 'b', 'c');
      const all = read('after=start');
      harness.release();
      expect((await all).events.map(({ id }) => id)).toEqual(ids);
      const first = await waiting;
      const rest = await read(`after=${first.cursor}`);
      expect([...first.events, ...rest.events].map(({ id }) => id)).toEqual(ids);
    } finally {
      await harness.close();
    }
  });

  test('a crash keeps their order and every cursor', async () => {
    const harness = await openHeldFiling();
    const client = createClient(harness.ada.key);
    client.use(harness.server);
    const path = `/api/endpoints/${harness.endpoint.id}/feed`;
    try {
      const filed = await harness.deliverAll('a', 'b');
      const { cursor } = await client.json<FeedPage>('GET', `${path}?limit=1`);
      harness.hold();
      const waiting = await harness.deliverAll('c', 'd');
      await harness.withNextServer(harness.killedCopy(), async next => {
        harness.release();
        client.use(next);
        const page = await client.json<FeedPage>('GET', `${path}?after=${cursor}`);
        expect(page.events.map(({ id }) => id)).toEqual([filed[1] ?? '', ...waiting]);
      });
    } finally {
      await harness.close();
    }
  });
});
