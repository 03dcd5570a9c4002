import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { holdClock } from '../../testing/clock.ts';
import { openHeldFiling } from '../../testing/held-filing.ts';
import { openOAuthHarness } from '../../testing/oauth-harness.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Overview } from '../overview/model.ts';
import type { FieldValues, Timeline } from './model.ts';
import { encodeTimelineCursor } from './timeline-cursor.ts';

const clock = holdClock();
const minute = 60_000;
let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
});
beforeEach(async () => {
  endpoint = await ada.createEndpoint();
});
afterAll(() => server.close());

const pathOf = (name: string, query: Record<string, string | number> = {}): string =>
  `/api/endpoints/${endpoint.id}/${name}?${new URLSearchParams(query as Record<string, string>)}`;
const timeline = (query: Record<string, string | number> = {}): Promise<Timeline> =>
  ada.json<Timeline>(200, 'GET', pathOf('timeline', query));
const secret = 'a secret of the test';
const signed = (body: string, key = secret, event = 'push') => ({
  headers: {
    'x-github-event': event,
    'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
  },
});
const deliver = (init: RequestInit = {}, body = '{}'): Promise<string> => server.deliver(endpoint, body, init);
const addSecret = () =>
  ada.json<{ id: string }>(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret });
const invalidOf = ({ buckets }: Timeline): number => buckets.reduce((sum, { invalid }) => sum + invalid, 0);

describe('GET /api/endpoints/{id}/timeline', () => {
  test('counts from the oldest event to now, in buckets that begin at multiples of their length, the empty ones too', async () => {
    const first = clock.now();
    await deliver();
    clock.advance(2 * minute + 1);
    await deliver();
    await deliver();
    const { from, to, bucketMs, buckets, ...rest } = await timeline({ buckets: 3 });
    expect({ from, to, bucketMs }).toEqual({ from: first, to: clock.now(), bucketMs: minute });
    const none = { accepted: 0, failed: 0, invalid: 0 };
    const start = Math.floor(first / minute) * minute;
    expect(buckets).toEqual([
      { ...none, at: start, count: 1, accepted: 1 },
      { ...none, at: start + minute, count: 0 },
      { ...none, at: start + 2 * minute, count: 2, accepted: 2 },
    ]);
    expect(rest).toEqual({ series: [], complete: true, nextCursor: null });
    // The range is that of the endpoint, whatever the filter matches.
    expect(await timeline({ buckets: 3, where: 'type:absent' })).toMatchObject({ from, to });
    expect((await timeline({ from: first, to: first })).buckets).toEqual([
      { ...none, at: Math.floor(first / 1000) * 1000, count: 1, accepted: 1 },
    ]);
  });

  test('an endpoint without events has one empty bucket', async () => {
    expect(await timeline()).toMatchObject({
      from: clock.now(),
      to: clock.now(),
      bucketMs: 1000,
      buckets: [{ count: 0 }],
    });
  });

  test('has a series for each of the six most frequent values, and one for the rest', async () => {
    const types = ['push', 'push', 'push', 'ping', 'ping', 'fork', 'watch', 'star', 'create', 'delete', 'public'];
    for (const type of types) await deliver({ headers: { 'x-github-event': type } });
    await deliver();
    const { series } = await timeline({ by: 'type', buckets: 1 });
    expect(series).toEqual(
      [
        ['push', 3],
        ['ping', 2],
        ['create', 1],
        ['delete', 1],
        ['fork', 1],
        ['public', 1],
        [null, 3],
      ].map(([value, count]) => ({ value: value as string | null, counts: [Number(count)] })),
    );
    expect((await timeline({ by: 'type', where: 'type:push', buckets: 1 })).series).toEqual([
      { value: 'push', counts: [3] },
    ]);
    expect((await timeline({ by: 'answered', buckets: 1 })).series).toEqual([{ value: '200', counts: [12] }]);
  });

  test.each([
    'to=1&from=2',
    `from=${Date.UTC(2100, 0)}`,
    'from=-1',
    'from=1e3',
    'to=x',
    'buckets=0',
    'buckets=201',
    'by=size',
    'cursor=x',
    'where=body.n%3E',
    'limit=5',
    'q=a&q=b',
    `q=${'x'.repeat(2000)}`,
  ])('400 for %s', async query => {
    expect((await ada.call('GET', `/api/endpoints/${endpoint.id}/timeline?${query}`)).status).toBe(400);
  });

  describe('a forged cursor', () => {
    const query = { by: 'type', buckets: '1' } as const;
    const continued = { from: 0, to: 0, values: [], after: { receivedAt: 0, seq: 0 } };
    const forged = (changes: object): string =>
      pathOf('timeline', {
        ...query,
        cursor: encodeTimelineCursor(endpoint.id, query, { ...continued, ...changes }),
      });

    test.each([
      { after: { receivedAt: 2, seq: 0 } },
      { after: { receivedAt: 0.5, seq: 0 } },
      { after: { receivedAt: 0, seq: 2 ** 53 } },
      { from: 1 },
      { from: -1 },
      { to: Number.MAX_SAFE_INTEGER + 1 },
      { values: null },
      { values: [1] },
      { values: ['1', '2', '3', '4', '5', '6', '7'] },
    ])('that no answer gave is refused: %j', async changes => {
      await deliver();
      expect((await ada.call('GET', forged(changes))).status).toBe(400);
    });

    test('counts only what is in its buckets', async () => {
      clock.advance(1000 - (clock.now() % 1000));
      await deliver();
      const [receivedAt, to] = [clock.now(), clock.now() - 1];
      const answer = await ada.json<Timeline>(
        200,
        'GET',
        forged({ from: to, to, after: { receivedAt, seq: Number.MAX_SAFE_INTEGER } }),
      );
      expect(answer.buckets).toMatchObject([{ count: 0 }]);
      expect(answer.series).toEqual([{ value: null, counts: [0] }]);
    });
  });

  test('404 for the endpoint of another team', async () => {
    const eve = await server.createAccount('eve@example.com');
    await eve.json(404, 'GET', pathOf('timeline'));
    await eve.json(404, 'GET', pathOf('values', { field: 'type' }));
  });

  test('an answer that is cut short continues only with the same parameters', async () => {
    const busy = await openTestServer({ searchLimits: { budget: { ms: 0, blocks: 1 } } });
    try {
      const bob = await busy.createAccount('bob@example.com');
      const { id, url } = await bob.createEndpoint();
      for (let n = 0; n < 40; n++)
        await busy.deliver({ url }, `{"n":${n},"text":"wanted ${'x'.repeat(40_000)}"}`, {
          headers: { 'x-github-event': n < 20 ? 'push' : 'ping' },
        });
      const path = `/api/endpoints/${id}/timeline?q=wanted&by=type&buckets=1`;
      let answer = await bob.json<Timeline>(200, 'GET', path);
      expect(answer.complete).toBe(false);
      const { nextCursor } = answer;
      for (const other of ['&where=type:push', '&to=9'])
        await bob.json(400, 'GET', `${path}${other}&cursor=${nextCursor}`);
      await bob.json(400, 'GET', `${path.replace('wanted', 'other')}&cursor=${nextCursor}`);
      const values = answer.series.map(({ value }) => value);
      expect(values.at(-1)).toBeNull();
      let count = 0;
      for (;;) {
        count += answer.buckets[0]?.count ?? 0;
        expect(answer.series.map(({ value }) => value)).toEqual(values);
        if (answer.nextCursor === null) break;
        answer = await bob.json<Timeline>(200, 'GET', `${path}&cursor=${answer.nextCursor}`);
      }
      expect(count).toBe(40);
    } finally {
      await busy.close();
    }
  });
});

describe('invalid', () => {
  test('is the verdict with the secrets that were known when the event was filed, whatever is known later', async () => {
    await deliver(signed('{}', 'another secret'));
    expect(invalidOf(await timeline())).toBe(0);
    clock.advance(1);
    const { id } = await addSecret();
    await deliver(signed('{}'));
    await deliver(signed('{}', 'another secret'));
    await deliver();
    expect(invalidOf(await timeline())).toBe(1);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/secrets/${id}`);
    await deliver(signed('{}', 'another secret'));
    const { buckets } = await timeline();
    expect(buckets.at(-1)).toMatchObject({ count: 5, accepted: 4, failed: 0, invalid: 1 });
  });

  test('an event that was not filed yet when the secret was added is not invalid', async () => {
    await deliver(signed('{}', 'another secret'));
    clock.advance(1);
    await addSecret();
    expect(invalidOf(await timeline())).toBe(0);
  });

  test('imports have no verdict', async () => {
    await addSecret();
    const event = { method: 'POST', path: '', query: null, payloadRaw: '{}', payloadEncoding: 'utf8' };
    const { headers } = signed('{}', 'another secret');
    await server.services.imports.add(endpoint.id, [
      { ...event, receivedAt: clock.now(), rawHeaders: Object.entries(headers) },
    ]);
    const { buckets } = await timeline();
    expect(buckets.at(-1)).toMatchObject({ count: 1, accepted: 1, invalid: 0 });
  });

  test('the overview counts the same events, and changes when they are removed', async () => {
    await addSecret();
    const id = await deliver(signed('{}', 'another secret'));
    await deliver(signed('{}', 'another secret'));
    const troubles = async () => {
      const { endpoints } = await ada.json<Overview>(200, 'GET', `/api/overview?q=${endpoint.id}`);
      return endpoints[0]?.troubles.map(({ kind, text }) => `${kind}: ${text}`);
    };
    expect(await troubles()).toEqual(['invalid_signatures: 2 invalid signatures in the last 24 hours']);
    await ada.json(200, 'DELETE', `/api/events/${id}`);
    expect(await troubles()).toEqual(['invalid_signatures: 1 invalid signature in the last 24 hours']);
    clock.advance(24 * 60 * minute + 1);
    expect(await troubles()).toEqual([]);
  });

  test('an event can be failed and invalid', async () => {
    await addSecret();
    const rules = [{ when: 'verdict:invalid', answer: { status: 401 } }];
    await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/answers`, { rules });
    const { pathname } = new URL(endpoint.url);
    const body = '{}';
    await fetch(`${await server.listen()}${pathname}`, { method: 'POST', body, ...signed(body, 'another secret') });
    await fetch(`${await server.listen()}${pathname}`, { method: 'POST', body, ...signed(body) });
    const { buckets } = await timeline();
    expect(buckets.at(-1)).toMatchObject({ count: 2, accepted: 1, failed: 1, invalid: 1 });
  });
});

test.skipIf(isRemote)('deliveries that a killed server had not filed get their verdict from the next one', async () => {
  const setting = await openHeldFiling();
  try {
    const path = `/api/endpoints/${setting.endpoint.id}`;
    await setting.ada.json(201, 'POST', `${path}/secrets`, { platform: 'github', secret });
    setting.hold();
    await setting.server.deliver(setting.endpoint, '{}', signed('{}', 'another secret'));
    await setting.server.deliver(setting.endpoint, '{}', signed('{}'));
    const directory = setting.killedCopy();
    setting.release();
    await setting.withNextServer(directory, async next => {
      const response = await next.fetch(`${path}/timeline?buckets=1`, {
        headers: { authorization: `Bearer ${setting.ada.key}` },
      });
      expect(((await response.json()) as Timeline).buckets).toMatchObject([{ count: 2, invalid: 1 }]);
    });
  } finally {
    await setting.close();
  }
});

describe('GET /api/endpoints/{id}/values', () => {
  const values = (query: Record<string, string>) => ada.json<FieldValues>(200, 'GET', pathOf('values', query));

  test('are the most frequent ones of the events that match', async () => {
    for (const [type, path] of [
      ['push', '/a'],
      ['push', '/b'],
      ['ping', '/a'],
      ['', ''],
    ] as const)
      await server.deliver(endpoint, '{"n":1}', { suffix: path, ...(type && { headers: { 'x-github-event': type } }) });
    const id = await deliver();
    await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ['new', 'golden'] });
    const complete = { events: 5, complete: true };
    const of = (...all: [string | null, number][]) => ({
      ...complete,
      values: all.map(([value, count]) => ({ value, count })),
    });
    expect(await values({ field: 'type' })).toEqual(of(['push', 2], [null, 2], ['ping', 1]));
    expect(await values({ field: 'platform' })).toEqual(of(['github', 3], [null, 2]));
    expect(await values({ field: 'method' })).toEqual(of(['POST', 5]));
    expect(await values({ field: 'path' })).toEqual(of(['', 2], ['/a', 2], ['/b', 1]));
    expect(await values({ field: 'answered' })).toEqual(of(['200', 5]));
    expect(await values({ field: 'tag' })).toEqual(of(['golden', 1], ['new', 1]));
    expect(await values({ field: 'type', limit: '1' })).toEqual(of(['push', 2]));
    expect(await values({ field: 'type', where: 'type:p*', q: 'n' })).toEqual({
      ...of(['push', 2], ['ping', 1]),
      events: 3,
    });
  });

  test.each([
    '',
    'field=size',
    'field=type&limit=0',
    'field=type&limit=51',
    'field=type&by=type',
    'field=type&where=a:',
  ])('400 for %j', async query => {
    expect((await ada.call('GET', `/api/endpoints/${endpoint.id}/values?${query}`)).status).toBe(400);
  });
});

test('apps and read-only keys may use both', async () => {
  const harness = await openOAuthHarness();
  try {
    const account = await harness.createAccount('app@example.com');
    const { access_token } = await harness.connect(await harness.register(), account);
    const { id } = await account.createEndpoint();
    for (const name of ['timeline', 'values?field=type'])
      expect((await harness.use(access_token, `/api/endpoints/${id}/${name}`)).status).toBe(200);
  } finally {
    await harness.server.close();
  }
  const { key } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'reader', readOnly: true });
  for (const path of [pathOf('timeline'), pathOf('values', { field: 'type' })])
    expect((await server.fetch(path, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});
