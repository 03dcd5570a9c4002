/* The client against a server that answers some requests. It holds the others until the test lets them go, then refuses them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eventually } from '../testing/poll.ts';
import type { ServerLimits } from './database.ts';
import { createServerClient } from './server-client.ts';

/** The number of the first statement of a request: `SELECT 1`, `INSERT INTO t VALUES (2)`. */
const numberOf = (body: string): string => /(?:SELECT |\()(\d+)/.exec(body)?.[1] ?? body;

let held: Map<string, () => void>;
let arrived: string[];
/** The numbers of the requests that get a response at once. */
let answers: Set<string>;
let http: Bun.Server<undefined>;
beforeEach(() => {
  held = new Map();
  arrived = [];
  answers = new Set();
  http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      // The client asks which protocols the server has, and then uses the oldest one.
      if (request.method === 'GET') return new Response(null, { status: 404 });
      const number = numberOf(await request.text());
      arrived.push(number);
      if (answers.has(number)) return answered();
      await new Promise<void>(resolve => held.set(number, resolve));
      return new Response(null, { status: 400 });
    },
  });
});
afterEach(() => http.stop(true));

const connect = (limits?: ServerLimits, onWriteStall?: (problem: string) => void) =>
  createServerClient({
    url: `http://127.0.0.1:${http.port}`,
    authToken: undefined,
    onWriteStall,
    ...(limits && { limits }),
  });
/** A response to one statement without rows, in the protocol's second version. */
const answered = (): Response =>
  Response.json({
    baton: null,
    base_url: null,
    results: [
      {
        type: 'ok',
        response: { type: 'execute', result: { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null } },
      },
      { type: 'ok', response: { type: 'close' } },
    ],
  });

test('one write at a time, capture before others, and reads at once', async () => {
  const { client, captureBatch, writeQueueDepth } = connect();
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
  const { client } = connect();
  expect(await client.transaction('write').catch(error => error)).toMatchObject({ code: 'UNSUPPORTED' });
  client.close();
});

const insert = (n: number): string => `INSERT INTO t VALUES (${n})`;
const failure = (work: Promise<unknown>) => work.catch(error => error);

test('captures fail when their time is up, while other writes still wait; a capture that waited is never sent', async () => {
  const { client, captureBatch } = connect({ requestMs: 20_000, captureMs: 50, stallMs: 30_000 });
  const late = await failure(captureBatch([insert(1)]));
  expect(late).toMatchObject({ code: 'TIMEOUT' });
  const other = client.execute(insert(2));
  await eventually(() => held.has('2'));
  expect(await failure(captureBatch([insert(3)]))).toMatchObject({ code: 'TIMEOUT' });
  answers.add('4');
  held.get('2')?.();
  expect(await failure(other)).toMatchObject({ code: expect.not.stringContaining('TIMEOUT') });
  await client.execute(insert(4));
  expect(arrived).toEqual(['1', '2', '4']);
  client.close();
});

test('a read that a delivery waits for has the time of a capture', async () => {
  const { client, captureRead } = connect({ requestMs: 20_000, captureMs: 50, stallMs: 30_000 });
  const read = client.execute('SELECT 1');
  expect(await failure(captureRead(read))).toMatchObject({ code: 'TIMEOUT' });
  held.get('1')?.();
  expect(await failure(read)).toMatchObject({ code: expect.not.stringContaining('TIMEOUT') });
  client.close();
});

describe('a server that holds writes', () => {
  const stalled = 'the libSQL server answers reads but no writes: restart it';

  test('and answers reads is reported once, until it answers a write', async () => {
    const problems: string[] = [];
    const { client, captureBatch, writeProblem } = connect({ requestMs: 20_000, captureMs: 20, stallMs: 60 }, problem =>
      problems.push(problem),
    );
    answers.add('1').add('9');
    expect(await writeProblem()).toBeUndefined();
    await eventually(async () => {
      await failure(captureBatch([insert(2)]));
      return problems.length > 0;
    });
    await failure(captureBatch([insert(2)]));
    expect(await writeProblem()).toBe(stalled);
    expect(problems).toEqual([stalled]);
    await client.execute(insert(9));
    expect(await writeProblem()).toBeUndefined();
    client.close();
  });

  test('and reads, too, has another problem', async () => {
    const { client, captureBatch, writeProblem } = connect({ requestMs: 500, captureMs: 20, stallMs: 0 });
    await failure(captureBatch([insert(2)]));
    expect(await writeProblem()).toBeUndefined();
    expect(arrived).toContain('1');
    client.close();
  });
});
