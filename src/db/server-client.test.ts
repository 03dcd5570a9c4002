/* The client against a server that holds each request until the test lets it go, and then refuses it. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { eventually } from '../testing/poll.ts';
import { createServerClient } from './server-client.ts';

/** The number of the first statement of a request: `SELECT 1`, `INSERT INTO t VALUES (2)`. */
const numberOf = (body: string): string => /(?:SELECT |\()(\d+)/.exec(body)?.[1] ?? body;

let held: Map<string, () => void>;
let arrived: string[];
let http: Bun.Server<undefined>;
beforeEach(() => {
  held = new Map();
  arrived = [];
  http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      // The client asks which protocols the server has, and then uses the oldest one.
      if (request.method === 'GET') return new Response(null, { status: 404 });
      const number = numberOf(await request.text());
      arrived.push(number);
      await new Promise<void>(resolve => held.set(number, resolve));
      return new Response(null, { status: 400 });
    },
  });
});
afterEach(() => http.stop(true));

test('one write at a time, capture before others, and reads at once', async () => {
  const { client, captureBatch, writeQueueDepth } = createServerClient(`http://127.0.0.1:${http.port}`, undefined);
  const insert = (n: number): string => `INSERT INTO t VALUES (${n})`;
  const all = [
    client.execute(insert(1)),
    client.batch([insert(2)]),
    client.executeMultiple(insert(3)),
    client.migrate([{ sql: insert(4), args: [] }]),
    client.execute('SELECT 5'),
    client.batch(['SELECT 6'], 'read'),
    captureBatch([insert(7)]),
  ];
  const failures = Promise.allSettled(all);
  await eventually(() => arrived.length === 3);
  expect(arrived.toSorted()).toEqual(['1', '5', '6']);
  expect(writeQueueDepth()).toBe(5);
  const writes = ['1', '7', '2', '3', '4'];
  for (const [i, number] of writes.entries()) {
    await eventually(() => held.has(number));
    expect(arrived).toHaveLength(3 + i);
    held.get(number)?.();
  }
  for (const number of ['5', '6']) held.get(number)?.();
  expect((await failures).map(({ status }) => status)).toEqual(all.map(() => 'rejected'));
  expect(writeQueueDepth()).toBe(0);
  client.close();
});

test('there are no interactive transactions', async () => {
  const { client } = createServerClient(`http://127.0.0.1:${http.port}`, undefined);
  expect(await client.transaction('write').catch(error => error)).toMatchObject({ code: 'UNSUPPORTED' });
  client.close();
});
