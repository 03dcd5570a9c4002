import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { closePeers } from '../../testing/raw-destination.ts';
import { body, openSigningHarness } from '../../testing/signing-harness.ts';
import type { EventDetail } from '../events/model.ts';

const fixture = await openSigningHarness();
const { ada, bob, deliver, endpoint, event, harness, open, replay, localUrl } = fixture;
afterEach(closePeers);
afterAll(() => harness.close());

const hashOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
type Reader = { key: string };
const newest = async (id = event, reader: Reader = ada): Promise<EventDetail['replays'][number]> => {
  const answer = await get(`/api/events/${id}`, reader);
  const [attempt] = ((await answer.json()) as EventDetail).replays;
  if (!attempt) throw new Error('the event has no replay');
  return attempt;
};
const get = (path: string, { key }: Reader = ada, init: RequestInit = {}) =>
  harness.fetch(path, { ...init, headers: { authorization: `Bearer ${key}` } });
const requestOf = (id: string, attempt: string, reader: Reader = ada, init?: RequestInit) =>
  get(`/api/events/${id}/replays/${attempt}/request`, reader, init);
const readOnly = async (): Promise<Reader> =>
  ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'reader', readOnly: true });
const send = async (request: object, id = event): Promise<EventDetail['replays'][number]> => {
  expect((await replay({ sign: undefined, ...request }, { id })).status).toBe(200);
  return newest(id);
};

describe('the request of a replay', () => {
  test('As captured', async () => {
    await open();
    const { id, request } = await send({});
    expect(id).toMatch(/^rpl_[0-9a-z]{31}$/);
    expect(request).toEqual({
      method: 'POST',
      url: localUrl(),
      headers: expect.arrayContaining([
        ['Content-Type', 'application/json'],
        ['x-service-replay', event],
      ]),
      edit: null,
      sha256: hashOf(body),
    });
    const names = request?.headers.map(([name]) => name.toLowerCase()) ?? [];
    for (const name of ['host', 'content-length', 'connection']) expect(names).not.toContain(name);
    const answer = await requestOf(event, id);
    expect(await answer.text()).toBe(body);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${id}.bin"`,
      'content-length': String(body.length),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const head = await requestOf(event, id, ada, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, `${body.length}`, '']);
  });

  test('with an edit, whose credentials are redacted', async () => {
    const to = await open();
    const edit = {
      set: { amount: 2 },
      headers: [
        ['X-Shop', 'a'],
        ['Authorization', 'Bearer mine'],
        ['cookie', 'a=b'],
        ['stripe-signature', null],
      ],
    };
    const { id, request } = await send({ edit });
    expect(request?.edit).toEqual({
      ...edit,
      headers: [
        ['X-Shop', 'a'],
        ['Authorization', '[redacted]'],
        ['cookie', '[redacted]'],
        ['stripe-signature', null],
      ],
    });
    expect(request?.headers).toContainEqual(['X-Shop', 'a']);
    expect(request?.headers).toContainEqual(['Authorization', '[redacted]']);
    expect(request?.headers).toContainEqual(['x-hooktape-edited', '1']);
    const sent = body.replace('1}', '2}');
    expect(to.received()).toEndWith(sent);
    expect(request?.sha256).toBe(hashOf(sent));
    expect(await (await requestOf(event, id)).text()).toBe(sent);
  });

  test('with numbers that JavaScript cannot hold', async () => {
    await open();
    const request = `{"url":"${localUrl()}","edit":{"set":{"amount":98765432109876543210.0}}}`;
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' };
    await harness.fetch(`/api/events/${event}/replay`, { method: 'POST', headers, body: request });
    const { id } = await newest();
    expect(await (await get(`/api/events/${event}`)).text()).toContain(
      '"edit":{"set":{"amount":98765432109876543210.0}}',
    );
    expect(await (await requestOf(event, id)).text()).toBe('{"id":"evt_1","amount":98765432109876543210.0}');
  });

  test.each([
    ['text', { body: 'héllo' }, Buffer.from('héllo')],
    ['bytes', { body: 'AP8=', bodyEncoding: 'base64' }, Buffer.from([0, 255])],
    ['nothing', { body: '' }, Buffer.alloc(0)],
    ['what was there', { set: { amount: 1 } }, Buffer.from(body)],
  ])('with a body of %s in place of the captured one', async (_, edit, expected) => {
    await open();
    const { id, request } = await send({ edit });
    expect(request).toMatchObject({ edit, sha256: hashOf(expected) });
    expect(Buffer.from(await (await requestOf(event, id)).arrayBuffer())).toEqual(expected);
  });

  test('an edit larger than 64 KiB is not kept, and its body is 410', async () => {
    const to = await open();
    const edit = { body: 'x'.repeat(64 << 10) };
    const { id, request } = await send({ edit });
    expect(request).toMatchObject({ edit: null, sha256: hashOf(edit.body) });
    expect(to.received()).toEndWith(edit.body);
    expect((await requestOf(event, id)).status).toBe(410);
    const kept = await send({ edit: { body: 'x'.repeat((64 << 10) - '{"body":""}'.length) } });
    expect((await requestOf(event, kept.id)).status).toBe(200);
  });

  test('a secret that came with it is kept nowhere', async () => {
    await open();
    const signed = await send({ sign: { mode: 'fresh', secret: 'whsec_with_the_request' } });
    const value = signed.request?.headers.find(([name]) => name === 'stripe-signature')?.[1];
    expect(value).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    const own = await ada.createEndpoint('gitlab');
    const id = await harness.server.deliver(own, '{"token":1}', {
      headers: { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': 'captured', 'content-type': 'application/json' },
    });
    for (const token of ['a token of this request', 'xyz']) {
      const to = await open();
      const edit = { set: { token }, headers: [['x-copy', `"${token}"`]] };
      const { request, id: attempt } = await send(
        { ...(token.length > 3 && { edit }), sign: { mode: 'fresh', secret: token } },
        id,
      );
      expect(to.received()).toContain(token);
      expect(request?.headers).toContainEqual(['x-gitlab-token', '[redacted]']);
      expect(JSON.stringify(await newest(id))).not.toContain(token);
      expect((await requestOf(id, attempt)).status).toBe(token.length > 3 ? 410 : 200);
    }
    const { rows } = await harness.server.services.database.client.execute('SELECT request FROM replays');
    const stored = rows.map(row => Buffer.from(row[0] as ArrayBuffer).toString()).join();
    expect(stored).not.toContain('a token of this request');
    expect(stored).not.toContain('whsec_with_the_request');
  });

  const token = 'tok_very"secret/12345';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  test.each([
    ['a body in base64', { body: base64(JSON.stringify({ a: `x${token}` })), bodyEncoding: 'base64' }],
    ['a body of JSON', { body: JSON.stringify({ a: `x${token}` }) }],
    ['a body of JSON as some write it', { body: JSON.stringify({ a: `x${token}` }).replaceAll('/', '\\/') }],
    ['a value', { set: { id: `x${token}` } }],
    ['JSON in a value', { set: { id: JSON.stringify({ a: token }) } }],
    ['base64 in a value', { set: { id: [0, 1, 2].map(n => base64(`${'x'.repeat(n)}${token} of a person`)) } }],
    ['the name of a member', { set: { id: { [token]: 1 } } }],
  ])('%s with a credential or secret of the request is not kept', async (_, edit) => {
    await open();
    const authorization = ['Authorization', `Bearer ${token}`];
    for (const request of [
      { edit: { ...edit, headers: [authorization] } },
      { edit, sign: { mode: 'fresh', secret: token } },
    ]) {
      const { id, request: kept } = await send(request);
      for (const form of [token, JSON.stringify(token), base64(token).slice(0, 12)])
        expect(JSON.stringify(kept?.edit ?? null)).not.toContain(form);
      const texts = Object.values(kept?.edit ?? {}).flat();
      for (const text of [...texts, kept?.edit?.set?.['id']].flat())
        if (typeof text === 'string') expect(Buffer.from(text, 'base64').toString('latin1')).not.toContain('secret');
      expect((await requestOf(event, id)).status).toBe(410);
    }
  });

  test('a signature by a stored secret is not shown', async () => {
    const to = await open();
    expect((await replay({})).status).toBe(200);
    const { request, signed } = await newest();
    expect(signed).toBe(true);
    expect(request?.headers).toContainEqual(['stripe-signature', expect.stringContaining('[signed]')]);
    const [, signature = ''] = /v1=([0-9a-f]{64})/.exec(to.received()) ?? [];
    expect(signature).not.toBe('');
    expect(JSON.stringify(request)).not.toContain(signature);
  });
});

describe('GET /api/events/{id}/replays/{replayId}/request', () => {
  test('of a large event holds the memory of its changed copies until it is read', async () => {
    await open();
    const text = JSON.stringify({ amount: 1, text: 'x'.repeat(1 << 20) });
    const id = await harness.server.deliver(endpoint, text, { headers: { 'content-type': 'application/json' } });
    const { id: attempt } = await send({ edit: { set: { amount: 2 } } }, id);
    const { heldBytes } = harness.server.services.contentReads;
    const answer = await requestOf(id, attempt);
    expect(heldBytes()).toBeGreaterThan(3 * text.length);
    expect((await answer.text()) === text.replace('1', '2')).toBe(true);
    expect(heldBytes()).toBe(0);
  });

  test('404 for what the event does not list', async () => {
    await open();
    const { id } = await send({});
    const other = await deliver(endpoint);
    for (const [of, attempt] of [
      [other, id],
      [event, event],
      [event, `${id.slice(0, -1)}!`],
      [event, 'rpl_'],
    ] as const)
      expect((await requestOf(of, attempt)).status).toBe(404);
    expect((await requestOf(event, id, bob)).status).toBe(404);
    for (let i = 0; i < 20; i++) await send({});
    expect((await requestOf(event, id)).status).toBe(404);
  });

  test('404 for attempts that a listener reports, and of earlier versions', async () => {
    const own = await deliver(endpoint);
    const attempt = { eventId: own, destination: 'http://localhost:1/', status: 200, durationMs: 1 };
    await ada.json(200, 'POST', `/api/endpoints/${endpoint.id}/attempts`, { attempts: [attempt] });
    const reported = await newest(own);
    expect(reported).toMatchObject({ id: expect.stringMatching(/^rpl_/), via: 'listen', request: null });
    expect((await requestOf(own, reported.id)).status).toBe(404);
    await open();
    await send({}, own);
    await harness.server.services.database.client.execute('UPDATE replays SET request = NULL');
    const earlier = await newest(own);
    expect(earlier.request).toBeNull();
    expect((await requestOf(own, earlier.id)).status).toBe(404);
  });

  test('for read-only keys, which see no path of the URL, and for apps', async () => {
    await open();
    const { id } = await send({});
    const reader = await readOnly();
    expect((await newest(event, reader)).request?.url).toEndWith('/[set]');
    expect(await (await requestOf(event, id, reader)).text()).toBe(body);
    const { access_token } = await harness.connect(await harness.register({ client_name: 'App' }), ada);
    const app = { key: access_token };
    const { id: attempt } = await newest(event, app);
    expect(await (await requestOf(event, attempt, app)).text()).toBe(body);
    const own = await ada.createEndpoint();
    await ada.json(201, 'POST', `/api/endpoints/${own.id}/forwards`, { name: 'one', url: localUrl(), enabled: false });
    const waiting = await deliver(own);
    const [seen, hidden] = [await get(`/api/events/${waiting}`, reader), await get(`/api/events/${waiting}`, app)];
    expect(((await seen.json()) as EventDetail).forwards).toMatchObject([{ name: 'one', state: 'waiting' }]);
    expect(((await hidden.json()) as EventDetail).forwards).toEqual([]);
  });
});
