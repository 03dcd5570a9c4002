import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ApiError, bodyBytes, type Endpoint, NotArrivedError } from '../src/hooktape.ts';
import { type Harness, openHarness, rejection } from './harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const create = (): Promise<Endpoint> => harness.hooktape.endpoints.create({ name: 'shop' });

describe('capture', () => {
  test('returns the events that arrived during the call, in order, with content', async () => {
    const endpoint = await create();
    await harness.deliver(endpoint, { n: 0 });
    const captured = await harness.hooktape.endpoint(endpoint).capture(
      async () => {
        await harness.deliver(endpoint, { n: 1 }, { suffix: '/orders', headers: { 'X-Shop': 'a' } });
        await harness.deliver(endpoint, { n: 2 });
      },
      { settle: '50ms' },
    );
    expect(captured.map(event => event.payload)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(captured[0]).toMatchObject({
      endpointId: endpoint.id,
      method: 'POST',
      path: '/orders',
      payloadRaw: '{"n":1}',
    });
    expect(captured[0]?.headers['x-shop']).toBe('a');
  });

  test('waits for events that arrive after the function has returned', async () => {
    const endpoint = await create();
    const later: Promise<unknown>[] = [];
    const captured = await harness.hooktape.endpoint(endpoint).capture(
      () => {
        later.push(Bun.sleep(150).then(() => harness.deliver(endpoint, { n: 1 })));
      },
      { atLeast: 1, settle: '10ms' },
    );
    await Promise.all(later);
    expect(captured).toHaveLength(1);
  });

  test('returns nothing when nothing arrives, and only events that match the filter', async () => {
    const endpoint = await create();
    const handle = harness.hooktape.endpoint(endpoint.id);
    expect(await handle.capture(() => {}, { settle: '10ms' })).toEqual([]);
    const run = async (): Promise<void> => {
      for (const n of [1, 2, 3]) await harness.deliver(endpoint, { n });
    };
    const captured = await handle.capture(run, { where: 'body.n>1', settle: '10ms' });
    expect(captured.map(event => event.payload.n)).toEqual([2, 3]);
  });

  test('fails when fewer arrive than asked for, and says which', async () => {
    const endpoint = await create();
    const handle = harness.hooktape.endpoint(endpoint);
    const error = await rejection(
      handle.capture(() => harness.deliver(endpoint, { n: 1 }), { atLeast: 2, within: '50ms' }),
    );
    expect(error).toBeInstanceOf(NotArrivedError);
    expect(String(error)).toContain('1 of 2 events arrived within 50 ms. 1 event did:');
  });

  test('throws the error of the function', async () => {
    const handle = harness.hooktape.endpoint(await create());
    const mine = new Error('mine');
    expect(await rejection(handle.capture(() => Promise.reject(mine)))).toBe(mine);
  });

  test('keeps bytes that are not UTF-8', async () => {
    const endpoint = await create();
    const bytes = new Uint8Array([0, 255, 128, 10]);
    const [event] = await harness.hooktape
      .endpoint(endpoint)
      .capture(() => harness.server.deliver(endpoint, bytes), { atLeast: 1, settle: 0 });
    expect(event?.payload).toBeNull();
    expect(event && bodyBytes(event)).toEqual(bytes);
  });
});

describe('waitFor', () => {
  test('returns an event that is there, or the next one that matches', async () => {
    const endpoint = await create();
    const handle = harness.hooktape.endpoint(endpoint.id);
    const first = await harness.deliver(endpoint, { n: 1 });
    expect(await handle.waitFor('body.n:1', { within: '5s' })).toMatchObject({ id: first, payload: { n: 1 } });
    const waiting = handle.waitFor('body.n:3', { within: '10s' });
    await harness.deliver(endpoint, { n: 2 });
    const third = await harness.deliver(endpoint, { n: 3 });
    expect((await waiting).id).toBe(third);
  });

  test('with a mark, only later events count', async () => {
    const endpoint = await create();
    const handle = harness.hooktape.endpoint(endpoint.id);
    await harness.deliver(endpoint, { n: 1 });
    const after = await handle.mark();
    expect(await rejection(handle.waitFor('', { after, within: '20ms' }))).toMatchObject({
      name: 'NotArrivedError',
      message: 'no event arrived within 20 ms, and no other',
      arrived: [],
    });
    const second = await harness.deliver(endpoint, { n: 1 });
    expect((await handle.waitFor('', { after })).id).toBe(second);
  });

  test('fails and names the nearest three events, and the first term that each fails', async () => {
    const endpoint = await create();
    const handle = harness.hooktape.endpoint(endpoint.id);
    await harness.deliver(endpoint, { n: 0 });
    const after = await handle.mark();
    for (const n of [1, 2, 50]) await harness.deliver(endpoint, { n }, { suffix: '/refunds' });
    const near = await harness.deliver(endpoint, { n: 99 }, { suffix: '/orders' });
    const error = await rejection(handle.waitFor('path:/orders body.n>99', { after, within: '20ms' }));
    expect(error).toBeInstanceOf(NotArrivedError);
    const { nearest, arrived, message } = error as NotArrivedError;
    expect(arrived).toHaveLength(4);
    expect(nearest.map(({ clause }) => clause)).toEqual(['body.n>99', 'path:/orders', 'path:/orders']);
    expect(message).toStartWith('no event matching path:/orders body.n>99 arrived within 20 ms. 4 events did:\n');
    expect(message).toContain(`\n  ${near} POST /orders: fails body.n>99\n`);
    expect(message).toEndWith('\n  and 1 more');
  });

  test('text of a sender cannot control a terminal', async () => {
    const endpoint = await create();
    const body = { type: 'order.paid', object: 'event', api_version: '1', data: { object: {} } };
    await harness.deliver(endpoint, body, { headers: { 'stripe-signature': 't=1,v1=00' } });
    // The server removes control characters from types. This one does not.
    const hostile = harness.client({
      fetch: async (url, init) => {
        const text = await (await fetch(url, init)).text();
        return new Response(text.replaceAll('order.paid', '\\u001b]0;owned\\u0007\\u202e'));
      },
    });
    const error = (await rejection(hostile.endpoint(endpoint).waitFor('body.n:1', { within: 0 }))) as Error;
    expect(error.message).toContain('\\u001b]0;owned\\u0007\\u202e from stripe');
    expect(error.message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  test('a filter that cannot be read is refused at once, with the place', async () => {
    const handle = harness.hooktape.endpoint(await create());
    const error = await rejection(handle.waitFor('tpye:x'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, position: 0, nearest: 'type' });
  });

  test('an aborted signal ends the wait with its reason', async () => {
    const abort = new AbortController();
    const waiting = rejection(harness.hooktape.endpoint(await create()).waitFor('', { signal: abort.signal }));
    const reason = new Error('enough');
    abort.abort(reason);
    expect(await waiting).toBe(reason);
  });

  test('a duration that cannot be read is named', async () => {
    const handle = harness.hooktape.endpoint(await create());
    expect(String(await rejection(handle.waitFor('', { within: '3 parsecs' })))).toContain('within: "3 parsecs"');
  });
});
