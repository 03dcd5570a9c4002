/* Requests that forwards send in place of events, their preview, and signatures with a forward's own secret. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { rowsOf } from '../../testing/events.ts';
import { type ForwardBench, openForwards, quickRetry } from '../../testing/forwards.ts';
import { eventually } from '../../testing/poll.ts';
import { ok } from '../../testing/replay-jobs.ts';
import type { EventDetail } from '../events/model.ts';
import type { ForwardPreview } from './model.ts';

setDefaultTimeout(120_000);

const start = Date.UTC(2026, 10, 22);
let now = start;
let forwards: ForwardBench;
beforeAll(async () => {
  forwards = await openForwards({ clock: { now: () => now, monotonic: () => performance.now() } });
});
afterAll(() => forwards.close());

const json = 'application/json';
const url = 'https://example.com/x';
const preview = (endpoint: { id: string }, body: object, status = 200) =>
  forwards.ada.json<ForwardPreview>(status, 'POST', `${forwards.path(endpoint)}/preview`, body);
const refusal = async (method: string, path: string, body: object): Promise<string> =>
  (await forwards.ada.json<{ error: string }>(400, method, path, body)).error;

describe('a request of its own', () => {
  test('is sent without any header of the sender, and kept as what was sent', async () => {
    const { url: to, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    const request = {
      contentType: 'application/vnd.test+json',
      body: '{"id":"{{id}}","at":"{{receivedAt}}","of":"{{endpoint}}","link":"{{link}}","v":"{{verdict}}","n":{{json body.n}},"none":{{json body.x}},"raw":"{{raw}}"}',
    };
    const headers = [
      ['Authorization', 'Bearer of the receiver'],
      ['X-Mine', '1'],
    ];
    const { id } = await forwards.create(endpoint, { url: to, headers, request: { method: 'PUT', ...request } });
    const body = '{"n":12345678901234567890,"t":"\\"}"}';
    const event = await forwards.server.deliver(endpoint, body, {
      headers: { 'content-type': 'text/plain', 'x-mine': '2', 'x-theirs': '3', 'user-agent': 'theirs', cookie: 'a=b' },
    });
    await eventually(() => received.length === 1, 20_000);
    const [one] = received;
    expect(one?.method).toBe('PUT');
    const { host: _, connection: __, ...sent } = Object.fromEntries(one?.headers ?? []);
    expect(sent).toEqual({
      'content-type': request.contentType,
      'user-agent': 'Hooktape',
      authorization: 'Bearer of the receiver',
      'x-mine': '1',
      'x-service-replay': event,
      'x-hooktape-hops': '1',
      'content-length': `${Buffer.byteLength(one?.body ?? '')}`,
      'accept-encoding': 'identity',
    });
    const { name } = await forwards.ada.json<{ name: string }>(200, 'GET', `/api/endpoints/${endpoint.id}`);
    expect(one?.body).toContain('"n":12345678901234567890,"none":null');
    expect(JSON.parse(one?.body ?? '')).toMatchObject({
      id: event,
      at: new Date(now).toISOString(),
      of: name,
      link: `http://localhost:4665/app/endpoints/${endpoint.id}/events/${event}`,
      v: 'none',
      raw: body,
    });
    await forwards.idle();
    const { replays } = await forwards.ada.json<EventDetail>(200, 'GET', `/api/events/${event}`);
    expect(replays[0]).toMatchObject({ via: 'forward', signed: false, request: { method: 'PUT', edit: null } });
    const kept = replays[0]?.request?.headers ?? [];
    expect(kept.filter(([, value]) => value === '[redacted]').map(([header]) => header)).toEqual([
      'Authorization',
      'X-Mine',
    ]);
    const path = `/api/events/${event}/replays/${replays[0]?.id}/request`;
    expect(await (await forwards.ada.call('GET', path)).text()).toBe(one?.body ?? '');
    expect(JSON.stringify(await rowsOf(forwards.server, 'SELECT * FROM forwards'))).not.toContain('of the receiver');

    const change = (given: object) => forwards.ada.json(200, 'PATCH', forwards.path(endpoint, id), given);
    expect(await change({ name: 'two' })).toMatchObject({ request: { method: 'PUT', ...request } });
    expect(await change({ request })).toMatchObject({ request: { method: 'POST', ...request } });
    expect(await change({ request: null })).toMatchObject({ request: null });
    await forwards.server.deliver(endpoint, 'as it came', { headers: { 'x-theirs': '3' } });
    await eventually(() => received.length === 2, 20_000);
    expect([received[1]?.body, received[1]?.headers.get('x-theirs')]).toEqual(['as it came', '3']);
  });

  test('knows the verdict on the event, as its preview does', async () => {
    const { url: to, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    const secret = 'a secret of the platform';
    await forwards.ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret });
    const request = { contentType: 'text/plain', body: '{{platform}} {{type}} {{verdict}}' };
    await forwards.create(endpoint, { url: to, request, mode: 'ordered' });
    for (const key of [secret, 'another']) {
      const signature = `sha256=${createHmac('sha256', key).update('{}').digest('hex')}`;
      const headers = { 'x-github-event': 'push', 'x-hub-signature-256': signature };
      await forwards.server.deliver(endpoint, '{}', { headers });
    }
    await eventually(() => received.length === 2, 20_000);
    const sent = received.map(({ body }) => body);
    expect(sent).toEqual(['github push valid', 'github push invalid']);
    expect((await preview(endpoint, { request })).events.map(({ body }) => body)).toEqual(sent.toReversed());
  });

  test('is refused with 400 when it cannot be meant', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const of = (request: object, more: object = {}) =>
      refusal('POST', forwards.path(endpoint), { name: 'a', url, request, ...more });
    const good = { contentType: json, body: '{}' };
    expect(await of({ ...good, body: '{{uuid}}' })).toBe('request.body: unknown placeholder {{uuid}}');
    expect(await of({ ...good, body: '{{body}}' })).toContain('unknown placeholder {{body}}');
    expect(await of({ ...good, body: 'é'.repeat((32 << 10) + 1) })).toContain('at most 64 KiB');
    expect(await of({ ...good, contentType: 'json' })).toContain('request.contentType must be a media type');
    expect(await of({ ...good, contentType: 'text/plain\r\nX-A: b' })).toContain('request.contentType');
    expect(await of({ ...good, method: 'DELETE' })).toContain('request.method');
    expect(await of({ ...good, more: 1 })).toContain('request');
    expect(await of({ contentType: json })).toContain('request.body');
    expect(await of(good, { sign: 'fresh' })).toStartWith('sign: a forward with a request of its own cannot re-sign');
    expect(await of(good, { headers: [['Content-Type', 'text/plain']] })).toContain('Content-Type is set');
    const { id } = await forwards.create(endpoint, { url, enabled: false, sign: 'fresh' });
    expect(await refusal('PATCH', forwards.path(endpoint, id), { request: good })).toStartWith('sign: ');
    await forwards.create(endpoint, { url, enabled: false, request: { ...good, body: '' } });
  });

  test('an event whose request cannot be sent is given up at once, with the reason, and nothing is sent', async () => {
    const { url: to, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    const raw = { contentType: json, body: '"{{raw}}"' };
    const { id } = await forwards.create(endpoint, { url: to, request: raw, retry: quickRetry });
    const bare = { contentType: json, body: '{"a":{{body.a}}}' };
    const { id: other } = await forwards.create(endpoint, { url: to, request: bare, retry: quickRetry });
    await forwards.server.deliver(endpoint, '1'.repeat((1 << 20) - 1));
    for (const forward of [id, other]) await forwards.until(endpoint, forward, one => one.givenUp === 1);
    const [tooLarge] = await forwards.deliveries(endpoint, id);
    expect(tooLarge).toMatchObject({ attempts: 1, lastError: 'the body of the request would be larger than 1 MiB' });
    const [noJson] = await forwards.deliveries(endpoint, other);
    expect(noJson?.lastError).toBe(
      'the body of the request is not JSON, although its content type is application/json',
    );
    expect(received).toEqual([]);
    await forwards.server.deliver(endpoint, '1'.repeat((1 << 20) - 2));
    await eventually(() => received.length === 1, 20_000);
    expect(received[0]?.body).toHaveLength(1 << 20);
    // Another template may be tried for the same events.
    await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, other), {
      request: { contentType: 'text/plain', body: '{{id}}' },
    });
    await forwards.act(endpoint, other, 'retry');
    await forwards.until(endpoint, other, one => one.givenUp === 0);
  });
});

describe('a preview', () => {
  test('shows the newest matching events with what would be sent, and changes nothing', async () => {
    const { url: to, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    await forwards.create(endpoint, { url: to, enabled: false });
    for (const n of [1, 2, 3, 4, 5, 6]) await forwards.server.deliver(endpoint, `{"n":${n},"type":"t.${n % 2}"}`);
    const request = { contentType: json, body: '{"n":{{body.n}},"type":"{{type}}"}' };
    const shown = async (more: object) =>
      (await preview(endpoint, { request, ...more })).events.map(({ body, problem }) => [body, problem]);
    const of = (n: number) => [`{"n":${n},"type":"t.${n % 2}"}`, null];
    expect(await shown({})).toEqual([6, 5, 4, 3, 2].map(of));
    expect(await shown({ where: 'type:t.1', limit: 2 })).toEqual([5, 3].map(of));
    expect(await shown({ where: 'body.n:2 OR body.n:4' })).toEqual([4, 2].map(of));
    expect(await shown({ request: { ...request, body: '{{body.n}} no' }, limit: 1 })).toEqual([
      ['6 no', 'the body of the request is not JSON, although its content type is application/json'],
    ]);
    expect(await shown({ request: { ...request, body: '{{body.n}}&', contentType: 'text/plain' }, limit: 1 })).toEqual([
      ['6&', null],
    ]);
    expect(
      await refusal('POST', `${forwards.path(endpoint)}/preview`, { request: { ...request, body: '{{x}}' } }),
    ).toContain('unknown');
    expect(await refusal('POST', `${forwards.path(endpoint)}/preview`, { request, where: 'size:' })).toStartWith(
      'invalid where',
    );
    for (const limit of [0, 51, 1.5]) await preview(endpoint, { request, limit }, 400);
    expect(received).toEqual([]);
  });

  test('leaves out refused events, cuts off no body, and refuses more than it can show', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    await forwards.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, {
      guard: { methods: ['POST'], onRefuse: 'record' },
    });
    await forwards.server.deliver(endpoint, 'taken');
    await fetch(endpoint.url, { method: 'PUT', body: 'refused' }).catch(() => {});
    const request = { contentType: 'text/plain', body: '{{raw}}' };
    expect((await preview(endpoint, { request })).events.map(({ body }) => body)).toEqual(['taken']);
    for (let n = 0; n < 9; n++) await forwards.server.deliver(endpoint, 'x'.repeat(1 << 20));
    const { events } = await preview(endpoint, { request });
    expect(events.map(({ body }) => body.length)).toEqual(Array(5).fill(1 << 20));
    expect(await refusal('POST', `${forwards.path(endpoint)}/preview`, { request, limit: 10 })).toContain(
      'preview fewer events',
    );
  });

  test('is for read-only keys, which make no secret; other teams find nothing', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const { id } = await forwards.create(endpoint, { url, enabled: false });
    const { key } = await forwards.ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
    const eve = await forwards.server.createAccount(`eve${Math.random()}@example.com`);
    const request = { contentType: 'text/plain', body: '{{id}}' };
    const ask = async (path: string, body: object, token?: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': json };
      return (await forwards.server.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    expect(await ask(`${forwards.path(endpoint)}/preview`, { request }, key)).toBe(200);
    expect(await ask(`${forwards.path(endpoint, id)}/secret`, {}, key)).toBe(403);
    await eve.json(404, 'POST', `${forwards.path(endpoint)}/preview`, { request });
    await eve.json(404, 'POST', `${forwards.path(endpoint, id)}/secret`);
    expect(
      (await forwards.server.fetch('/api/forward-presets', { headers: { authorization: `Bearer ${key}` } })).status,
    ).toBe(200);
  });
});

describe('sign: own', () => {
  const newSecret = async (endpoint: { id: string }, id: string): Promise<string> =>
    (await forwards.ada.json<{ secret: string }>(200, 'POST', `${forwards.path(endpoint, id)}/secret`)).secret;
  const signatureBy = (secret: string, { headers, body }: { headers: Headers; body: string }): string => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const text = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`;
    return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  };

  test('signs what is sent, in place of the sender’s headers; a replaced secret signs for 24 hours more', async () => {
    const { url: to, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    const { id, ...created } = await forwards.create(endpoint, { url: to, sign: 'own' });
    expect(JSON.stringify(created)).not.toContain('whsec_');
    const theirs = {
      'webhook-id': 'msg_theirs',
      'webhook-timestamp': '1',
      'Webhook-Signature': 'v1,AAAA',
      'webhook-event': 'a',
    };
    const signedBy = async (...secrets: string[]) => {
      const n = received.length;
      const event = await forwards.server.deliver(endpoint, `{"n":${n}}`, { headers: theirs });
      await eventually(() => received.length === n + 1, 20_000);
      const [one] = received.slice(-1);
      if (!one) throw new Error('nothing came');
      expect(one.headers.get('webhook-id')).toBe(event);
      expect(one.headers.get('webhook-timestamp')).toBe(`${Math.floor(now / 1000)}`);
      const found = one.headers.get('webhook-signature')?.split(' ') ?? [];
      expect(secrets.map(secret => found.indexOf(signatureBy(secret, one)))).toEqual(secrets.map((_, i) => i));
      return { event, found, one };
    };
    const { found } = await signedBy();
    expect(found).toHaveLength(1);
    const first = await newSecret(endpoint, id);
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await signedBy(first)).found).toHaveLength(2);
    const second = await newSecret(endpoint, id);
    expect((await signedBy(second, first)).found).toHaveLength(2);
    const third = await newSecret(endpoint, id);
    const { event, found: both, one } = await signedBy(third, second);
    expect(both).toHaveLength(2);
    expect(both).not.toContain(signatureBy(first, one));
    expect(one.headers.get('webhook-event')).toBe('a');
    now += 24 * 3_600_000 + 1;
    expect((await signedBy(third)).found).toHaveLength(1);
    await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, id), {
      request: { contentType: json, body: '["{{id}}"]' },
    });
    expect((await signedBy(third)).one.body).toStartWith('["evt_');

    await forwards.idle();
    const { replays } = await forwards.ada.json<EventDetail>(200, 'GET', `/api/events/${event}`);
    expect(replays[0]).toMatchObject({ signed: true });
    expect(replays[0]?.request?.headers).toContainEqual(['webhook-signature', '[signed]']);
    const stored = await rowsOf(forwards.server, 'SELECT * FROM forwards, audit');
    for (const secret of [first, second, third]) expect(JSON.stringify(stored)).not.toContain(secret);
    const { changes } = await forwards.ada.json<{ changes: { text: string }[] }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/changes`,
    );
    expect(changes.map(({ text }) => text)).toContain('ada@example.com replaced the signing secret of forward “one”');
  });

  test('secrets that are made at the same time all follow each other: each was the newest once', async () => {
    const { url: to, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    const { id } = await forwards.create(endpoint, { url: to, sign: 'own' });
    const made = await Promise.all([newSecret(endpoint, id), newSecret(endpoint, id), newSecret(endpoint, id)]);
    await forwards.server.deliver(endpoint, '{}');
    await eventually(() => received.length === 1, 20_000);
    const [one] = received;
    const found = one?.headers.get('webhook-signature')?.split(' ') ?? [];
    expect(found).toHaveLength(2);
    expect(made.filter(secret => one && found.includes(signatureBy(secret, one)))).toHaveLength(2);
  });

  test('a forward from before has a secret as soon as it signs', async () => {
    const { url: to, received } = forwards.destination(ok);
    const endpoint = await forwards.ada.createEndpoint();
    const { id } = await forwards.create(endpoint, { url: to });
    const { client } = forwards.server.services.database;
    await client.execute({ sql: 'UPDATE forwards SET secret = NULL WHERE id = ?', args: [id] });
    await forwards.ada.json(200, 'PATCH', forwards.path(endpoint, id), { sign: 'own' });
    await forwards.server.deliver(endpoint, '{}');
    await eventually(() => received.length === 1, 20_000);
    expect(received[0]?.headers.get('webhook-signature')).toMatch(/^v1,\S+$/);
    await client.execute({ sql: 'UPDATE forwards SET secret = ? WHERE id = ?', args: [Buffer.from('x'), id] });
    await forwards.server.deliver(endpoint, '{}');
    await forwards.until(endpoint, id, ({ givenUp }) => givenUp === 1);
    expect((await forwards.deliveries(endpoint, id))[0]?.lastError).toContain('make a new one');
    await newSecret(endpoint, id);
    await forwards.act(endpoint, id, 'retry');
    await eventually(() => received.length === 2, 20_000);
  });

  test('400 with headers that the signature sets', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const headers = [['Webhook-Id', '1']];
    const body = { name: 'a', url, sign: 'own', headers };
    expect(await refusal('POST', forwards.path(endpoint), body)).toContain('Webhook-Id is set for each request');
  });
});
