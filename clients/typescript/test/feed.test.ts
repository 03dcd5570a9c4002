import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestServer } from '../../../src/testing/test-server.ts';
import { type CapturedEvent, ConnectionError, Hooktape } from '../src/hooktape.ts';
import { type Harness, openHarness, openUnreliableProxy, rejection } from './harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

/** Reads until as many events have come. */
async function take(feed: AsyncIterable<CapturedEvent>, count: number): Promise<string[]> {
  const ids: string[] = [];
  if (count > 0)
    for await (const { id } of feed) {
      ids.push(id);
      if (ids.length === count) break;
    }
  return ids;
}

test('has the stored events and then new ones, each once and in order', async () => {
  const endpoint = await harness.hooktape.endpoints.create({ name: 'live' });
  const before = await Promise.all(Array.from({ length: 120 }, (_, n) => harness.deliver(endpoint, { n })));
  const reading = take(harness.hooktape.endpoint(endpoint.id).feed(), 123);
  const after: string[] = [];
  for (const n of [1, 2, 3]) after.push(await harness.deliver(endpoint, { n }));
  const ids = await reading;
  expect(ids.slice(0, 120).sort()).toEqual(before.sort());
  expect(ids.slice(120)).toEqual(after);
});

test('follows a filter and a mark, and ends with follow: false', async () => {
  const endpoint = await harness.hooktape.endpoints.create({ name: 'filtered' });
  const handle = harness.hooktape.endpoint(endpoint.id);
  await harness.deliver(endpoint, { n: 2 });
  const after = await handle.mark();
  const ids: string[] = [];
  for (const n of [1, 2, 1, 2]) ids.push(await harness.deliver(endpoint, { n }));
  const found: string[] = [];
  for await (const event of handle.feed({ after, where: 'body.n:2', follow: false })) found.push(event.id);
  expect(found).toEqual([ids[1], ids[3]] as string[]);
});

test('loses and doubles nothing while connections break at any byte', async () => {
  const endpoint = await harness.hooktape.endpoints.create({ name: 'breaking' });
  const port = Number(new URL(harness.origin).port);
  let connections = 0;
  // Two of three connections break, at bytes that walk through head and body of the answer.
  const proxy = await openUnreliableProxy(
    () => port,
    () => (++connections % 3 === 0 ? Number.POSITIVE_INFINITY : (connections * 997) % 20_000),
  );
  try {
    const errors: Error[] = [];
    const feed = harness
      .client({ url: proxy.origin })
      .endpoint(endpoint.id)
      .feed({ after: 'start', onReconnect: error => errors.push(error) });
    const sent: string[] = [];
    const reading = take(feed, 300);
    while (sent.length < 300) {
      const burst = Array.from({ length: 30 }, () => harness.deliver(endpoint, { text: 'x'.repeat(200) }));
      sent.push(...(await Promise.all(burst)));
    }
    const ids = await reading;
    expect(new Set(ids).size).toBe(300);
    expect(ids.toSorted()).toEqual(sent.toSorted());
    expect(proxy.broken()).toBeGreaterThan(0);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.every(error => error instanceof ConnectionError)).toBe(true);
  } finally {
    proxy.close();
  }
});

test('goes on after a restart of the server', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  try {
    let server = await openTestServer({ directory });
    const account = await server.createAccount();
    const origin = await server.listen();
    const port = Number(new URL(origin).port);
    const hooktape = new Hooktape({ url: origin, key: account.key });
    const endpoint = await hooktape.endpoints.create({ name: 'restarted' });
    const sent = [await server.deliver(endpoint), await server.deliver(endpoint)];
    let sawFirst = (): void => {};
    const first = new Promise<void>(resolve => {
      sawFirst = resolve;
    });
    const ids: string[] = [];
    const reading = (async () => {
      for await (const { id } of hooktape.endpoint(endpoint.id).feed({ after: 'start' })) {
        if (ids.push(id) === 2) sawFirst();
        if (ids.length === 4) break;
      }
    })();
    await first;
    await server.close();
    server = await openTestServer({ directory, port });
    await server.listen();
    sent.push(await server.deliver(endpoint), await server.deliver(endpoint));
    await reading;
    expect(ids).toEqual(sent);
    await server.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('an aborted signal ends the wait at once, with its reason', async () => {
  const endpoint = await harness.hooktape.endpoints.create({ name: 'aborted' });
  const abort = new AbortController();
  const reading = rejection(take(harness.hooktape.endpoint(endpoint.id).feed({ signal: abort.signal }), 1));
  const reason = new Error('enough');
  setTimeout(() => abort.abort(reason), 50);
  expect(await reading).toBe(reason);
});

test('a refusal ends it: reconnecting would not help', async () => {
  const feed = harness.client({ key: 'htk_wrong' }).endpoint('ep_none').feed();
  expect(await rejection(take(feed, 1))).toMatchObject({ name: 'ApiError', status: 401 });
});
