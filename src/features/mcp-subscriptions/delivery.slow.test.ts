/* Deliveries to callbacks: when they are tried again, what a callback that is down gets, and what it is told. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { McpReceiver } from '../../testing/mcp-receiver.ts';
import { createCaller, openSubscriptions, type SubscriptionBench } from '../../testing/mcp-subscriptions.ts';

setDefaultTimeout(120_000);

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
let bench: SubscriptionBench;
beforeEach(async () => {
  bench = await openSubscriptions();
});
afterEach(() => bench.close());

const ids = (to: McpReceiver): string[] => to.events().map(({ eventId }) => eventId);
const shown = async () => (await bench.apps())[0]?.subscriptions[0];
const busy = (): Response => new Response(null, { status: 503 });
const accepted = (): Response => new Response(null, { status: 204 });
const after = async (ms: number): Promise<void> => {
  bench.clock.advance(ms);
  await bench.idle();
};

describe('an attempt', () => {
  test('that fails is tried again after 5 s, 30 s, 2 min and 10 min, signed anew, and then given up', async () => {
    const to = bench.receiver();
    await bench.subscribe(to);
    const lost = await bench.deliver('{"lost":true}');
    to.answer(({ body }) => ('eventId' in body && body.eventId === lost ? busy() : accepted()));
    const times: number[] = [];
    const started = bench.clock.now();
    for (let at = 0, seen = 0; at < 900; ) {
      await bench.idle();
      // Other events are accepted, so that the callback counts as up.
      if (at % 60 === 0) await bench.deliver();
      const count = ids(to).filter(id => id === lost).length;
      if (count > seen) times.push(bench.clock.now() - started);
      seen = count;
      const step = at < 10 || (at >= 30 && at < 40) ? 1 : 5;
      at += step;
      bench.clock.advance(step * second);
    }
    expect(times).toEqual([0, 5, 35, 155, 755].map(s => s * second));
    expect(to.problems).toEqual([]);
    expect(await shown()).toMatchObject({ waiting: 0 });
    const stamps = to.messages.filter(({ body }) => 'eventId' in body && body.eventId === lost);
    expect(new Set(stamps.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(5);
  });

  test.each([410, 413])('that is answered with %p is the last of its event; the subscription lives', async status => {
    const to = bench.receiver();
    await bench.subscribe(to);
    to.answer(() => new Response(null, { status }));
    const first = await bench.deliver();
    await bench.idle();
    expect(await shown()).toMatchObject({ waiting: 0, lastStatus: status, lastDeliveryAt: null });
    to.answer(accepted);
    const next = await bench.deliver();
    await after(hour);
    expect(ids(to)).toEqual([first, next]);
  });

  test('to a redirect does not follow it', async () => {
    const [to, other] = [bench.receiver(), bench.receiver()];
    await bench.subscribe(to);
    to.answer(() => Response.redirect(other.url, 307));
    await bench.deliver();
    await bench.idle();
    expect([other.messages, (await shown())?.waiting]).toEqual([[], 1]);
  });

  test('has the body with content full, and null for one that is no text or too large', async () => {
    const to = bench.receiver();
    await bench.subscribe(to, { arguments: { endpoint: bench.endpoint.id, content: 'full' } });
    const quotes = '"'.repeat(150 * 1024);
    await bench.deliver('{"text":"ü"}');
    await bench.server.deliver(bench.endpoint, Uint8Array.of(0xff, 0xfe));
    await bench.deliver('x'.repeat(200 * 1024 + 1));
    // As JSON, it would be twice as large.
    await bench.deliver(quotes);
    await bench.idle();
    const bodies = to.events().map(({ data }) => [data['body'], data['bodyTruncated']]);
    expect(bodies.filter(([body]) => body !== null)).toEqual([['{"text":"ü"}', false]]);
    expect(bodies.filter(([body]) => body === null)).toEqual([
      [null, true],
      [null, true],
      [null, true],
    ]);
    expect(to.problems).toEqual([]);
  });
});

describe('a callback that is down', () => {
  const down = async (events = 10) => {
    const to = bench.receiver();
    await bench.subscribe(to, { ttlMs: null });
    to.answer(busy);
    const sent: string[] = [];
    for (let n = 0; n < events; n++) sent.push(await bench.deliver());
    await bench.idle();
    return { to, sent };
  };

  test('gets one event a minute after ten failures in a row, and nothing is given up', async () => {
    const { to, sent } = await down();
    expect(ids(to)).toHaveLength(10);
    const before = to.events().length;
    for (let n = 0; n < 40; n++) {
      if (n % 10 === 0) sent.push(await bench.deliver());
      await after(minute);
    }
    expect(to.events().length - before).toBeGreaterThanOrEqual(38);
    expect(to.events().length - before).toBeLessThanOrEqual(41);
    expect((await shown())?.waiting).toBe(14);
    to.answer(accepted);
    const answered = to.messages.length;
    await after(minute);
    await after(minute);
    const got = to.messages.slice(answered).flatMap(({ body }) => ('eventId' in body ? [body.eventId] : []));
    expect(got.sort()).toEqual(sent.sort());
    expect(await shown()).toMatchObject({ waiting: 0, lastStatus: 204 });
  });

  test('after five minutes of failures, too', async () => {
    const to = bench.receiver();
    await bench.subscribe(to);
    to.answer(busy);
    const event = await bench.deliver();
    for (let n = 0; n < 40; n++) await after(30 * second);
    // 0, 5 s, 35 s, 2:35, 12:35; from then on one a minute.
    expect(ids(to).length).toBeGreaterThan(9);
    to.answer(accepted);
    await after(minute);
    expect(ids(to).at(-1)).toBe(event);
    expect(await shown()).toMatchObject({ waiting: 0 });
  });

  test('is tried at once when the app refreshes, and the answer says how it was', async () => {
    const { to, sent } = await down(12);
    await after(minute);
    const before = to.messages.length;
    to.answer(accepted);
    const { deliveryStatus } = await bench.subscribe(to, { ttlMs: null });
    expect(deliveryStatus).toEqual({
      active: false,
      lastDeliveryAt: null,
      lastError: 'http_5xx',
      failedSince: new Date(bench.clock.now() - minute).toISOString(),
    });
    await bench.idle();
    const got = to.messages.slice(before).flatMap(({ body }) => ('eventId' in body ? [body.eventId] : []));
    expect(got.sort()).toEqual(sent.sort());
    const again = await bench.subscribe(to, { ttlMs: null });
    expect(again.deliveryStatus).toEqual({
      active: true,
      lastDeliveryAt: new Date(bench.clock.now()).toISOString(),
      lastError: null,
    });
  });

  test('loses nothing by a refresh after which it still fails', async () => {
    const to = bench.receiver();
    await bench.subscribe(to);
    to.answer(busy);
    const event = await bench.deliver();
    // The fifth attempt, after which an event would be given up, is the one after which the callback counts as down.
    for (let n = 0; n < 30; n++) await after(30 * second);
    const before = ids(to).length;
    await bench.subscribe(to);
    await bench.until(() => ids(to).length > before);
    await bench.idle();
    expect(await shown()).toMatchObject({ waiting: 1 });
    to.answer(accepted);
    await after(minute);
    expect(ids(to).at(-1)).toBe(event);
    expect(await shown()).toMatchObject({ waiting: 0, lastStatus: 204 });
  });

  test('for an hour, with nobody listening, goes on where it was', async () => {
    const to = bench.receiver();
    const { id } = await bench.subscribe(to);
    await to.close();
    const sent: string[] = [];
    for (let n = 0; n < 60; n++) {
      sent.push(await bench.deliver());
      await after(minute);
    }
    expect(await shown()).toMatchObject({ id, waiting: 60, lastStatus: null });
    const back = bench.receiver(to.port);
    back.secrets.unshift(...to.secrets);
    await after(minute);
    await after(minute);
    expect(ids(back).sort()).toEqual(sent.sort());
    expect([back.problems, back.challenges()]).toEqual([[], []]);
  });

  test('is told once what retention took, and gets the rest', async () => {
    await bench.ada.json(200, 'PATCH', `/api/endpoints/${bench.endpoint.id}`, { retention: '1h' });
    const { to } = await down(20);
    await after(hour);
    const kept = await bench.deliver();
    bench.server.services.retention.wake();
    await bench.idle();
    const before = to.messages.length;
    to.answer(accepted);
    await after(minute);
    await after(minute);
    const told = to.messages.slice(before).map(({ body }) => ('type' in body ? body.type : body.eventId));
    expect(told).toEqual(['gap', kept]);
    const [gap] = to.gaps();
    const poll = { name: 'webhook.received', arguments: { endpoint: bench.endpoint.id } };
    const cursor = gap && 'cursor' in gap ? gap.cursor : '';
    // The access token of the app has expired by now.
    const call = createCaller(bench.harness.fetch, bench.ada.key);
    expect((await call('events/poll', { ...poll, cursor })).result).toMatchObject({
      events: [{ eventId: kept }],
      truncated: false,
    });
    expect(to.problems).toEqual([]);
    expect((await shown())?.waiting).toBe(0);
  });

  test('is not told about events that a person deleted', async () => {
    const { to, sent } = await down(3);
    for (const id of sent) await bench.ada.json(200, 'DELETE', `/api/events/${id}`);
    to.answer(accepted);
    const before = to.messages.length;
    await after(hour);
    expect(to.messages).toHaveLength(before);
    expect((await shown())?.waiting).toBe(0);
  });
});

describe('what wakes', () => {
  test('refused events and invalid signatures do not, unless the filter asks for them', async () => {
    const path = `/api/endpoints/${bench.endpoint.id}`;
    await bench.ada.json(201, 'POST', `${path}/secrets`, { platform: 'github', secret: 'the right secret' });
    const [plain, asking] = [bench.receiver(), bench.receiver()];
    await bench.subscribe(plain);
    const given = { endpoint: bench.endpoint.id, where: 'verdict:invalid' };
    await bench.subscribe(asking, { arguments: given });
    const invalid = await bench.server.deliver(bench.endpoint, '{"a":1}', {
      headers: { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    });
    const unsigned = await bench.deliver();
    await bench.idle();
    expect([ids(plain), ids(asking)]).toEqual([[unsigned], [invalid]]);
  });

  test('a repeated delivery once, and each attempt with per event', async () => {
    const [once, each] = [bench.receiver(), bench.receiver()];
    await bench.subscribe(once);
    await bench.subscribe(each, { arguments: { endpoint: bench.endpoint.id, per: 'event' } });
    const attempts = [await bench.deliver('{"same":1}'), await bench.deliver('{"same":1}')];
    await bench.idle();
    expect([ids(once), ids(each).sort()]).toEqual([attempts.slice(0, 1), attempts.sort()]);
  });
});

test('nothing is sent before the answer to subscribe was written', async () => {
  const to = bench.receiver();
  const origin = await bench.server.listen();
  let answered = false;
  let early = 0;
  to.answer(() => {
    if (!answered) early++;
    return accepted();
  });
  const now = (
    await bench.app.call('events/poll', {
      name: 'webhook.received',
      arguments: { endpoint: bench.endpoint.id },
      cursor: null,
    })
  ).result?.['cursor'];
  for (let n = 0; n < 20; n++) await bench.deliver();
  const call = createCaller(async (path, init) => {
    const response = await fetch(`${origin}${path}`, init);
    const text = await response.text();
    answered = true;
    return new Response(text);
  }, bench.app.tokens.access_token);
  const { error } = await call('events/subscribe', bench.params(to, { cursor: now }));
  expect(error).toBeUndefined();
  await bench.until(() => to.events().length === 20);
  expect(early).toBe(0);
});
