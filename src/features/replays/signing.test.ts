/* Edited, signed and dry replays, and secrets that come with the request. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import { closePeers, ok, type Peer, peer } from '../../testing/raw-destination.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
let event: string;
let to: Peer;
const body = '{ "type": "order.paid", "id": 12345678901234567890, "items": [ {"sku":"A-1"} ] }';
const secret = 'whsec_of_the_request_8d1f';

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  event = await server.deliver(endpoint, body, {
    suffix: '/orders/7?shop=a%20b',
    headers: {
      'Content-Type': 'application/json',
      'Stripe-Signature': 't=1,v1=00',
      'X-Trace': '1',
      Authorization: 'Bearer x',
    },
  });
});
afterEach(closePeers);
afterAll(() => server.close());

type Dry = {
  dryRun: true;
  method: string;
  url: string;
  headers: [string, string][];
  body: string;
  bodyEncoding: string;
};
const replay = <T = Record<string, unknown>>(status: number, request: object, id = event) =>
  ada.json<T>(status, 'POST', `/api/events/${id}/replay`, {
    url: `http://127.0.0.1:${to?.port ?? 9}/hook`,
    ...request,
  });
const dry = (request: object, id = event) => replay<Dry>(200, { ...request, dryRun: true }, id);
const attemptsOf = async (id = event) =>
  (await ada.json<{ replays: Record<string, unknown>[] }>(200, 'GET', `/api/events/${id}`)).replays;
const headerOf = ({ headers }: Dry, name: string) => headers.find(([other]) => other.toLowerCase() === name)?.[1];
const received = () => {
  const [head = '', text = ''] = to.received().split('\r\n\r\n');
  return { head, text: Buffer.from(text, 'latin1').toString('utf8') };
};

describe('a dry run', () => {
  test('shows the request and sends and records nothing', async () => {
    to = await peer(ok);
    const answer = await dry({});
    expect(answer).toEqual({
      dryRun: true,
      method: 'POST',
      url: `http://127.0.0.1:${to.port}/hook`,
      headers: expect.arrayContaining([['x-service-replay', event]]),
      body,
      bodyEncoding: 'utf8',
    });
    expect(headerOf(answer, 'authorization')).toBeUndefined();
    expect(headerOf(answer, 'x-hooktape-edited')).toBeUndefined();
    expect([to.connects(), await attemptsOf()]).toEqual([0, []]);
  });

  test('of bytes that are no text has them in base64', async () => {
    const id = await server.deliver(endpoint, new Uint8Array([0, 255]));
    expect(await dry({}, id)).toMatchObject({ body: 'AP8=', bodyEncoding: 'base64' });
  });

  test.each([
    ['http://h.example/base', 'http://h.example/base/orders/7?shop=a%20b'],
    ['http://h.example', 'http://h.example/orders/7?shop=a%20b'],
    ['http://h.example/base/?x=1#f', 'http://h.example/base/orders/7?x=1&shop=a%20b'],
  ])('with the path of the event below %s goes to %s', async (url, expected) => {
    expect((await dry({ url, appendPath: true })).url).toBe(expected);
    expect((await dry({ url })).url).toBe(url);
  });
});

describe('an edited replay', () => {
  test('has only the changes, says that it is edited, and is recorded so', async () => {
    to = await peer(ok);
    await replay(200, {
      edit: {
        set: { 'items.0.sku': 'ü' },
        headers: [
          ['X-Trace', '2'],
          ['Authorization', 'Bearer mine'],
        ],
      },
    });
    const { head, text } = received();
    expect(text).toBe(body.replace('A-1', 'ü'));
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(text)}`);
    expect(head).toMatch(/\r\nx-trace: 2\r\n/i);
    expect(head).toContain('Bearer mine');
    expect(head).toContain(`\r\nx-hooktape-edited: 1\r\nx-service-replay: ${event}\r\n`);
    expect((await attemptsOf())[0]).toMatchObject({ edited: true, signed: false, via: 'api' });
  });

  test('keeps numbers exact that are longer than JavaScript’s', async () => {
    const path = `/api/events/${event}/replay`;
    const request = '{"url":"http://127.0.0.1:9/","dryRun":true,"edit":{"set":{"id":98765432109876543210.0}}}';
    const response = await server.fetch(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
      body: request,
    });
    expect(((await response.json()) as Dry).body).toBe(body.replace('12345678901234567890', '98765432109876543210.0'));
  });

  test('with nothing in the edit is not edited', async () => {
    expect(headerOf(await dry({ edit: { set: {}, headers: [] } }), 'x-hooktape-edited')).toBeUndefined();
  });

  test.each([
    { set: { 'items.1.sku': 1 } },
    { unset: ['none'] },
    { set: { type: 1 }, body: '' },
    { body: '%', bodyEncoding: 'base64' },
    { bodyEncoding: 'latin1' },
    { headers: [['Host', 'evil.example']] },
    { headers: [['Content-Length', '1']] },
    { headers: [['Connection', null]] },
    { headers: [['X', 'a\r\nY: 1']] },
    { headers: [['X\n', 'a']] },
    { headers: [['X']] },
    { unknown: 1 },
  ])('%j is 400', async edit => {
    await replay(400, { edit });
    await replay(400, { edit, dryRun: true });
  });
});

describe('a replay that is signed with a secret in the request', () => {
  const stripe = new Stripe('sk_test');
  const accepts = (text: string, signature: string) => stripe.webhooks.constructEventAsync(text, signature, secret);

  test('is accepted by the library of the platform, edited, at any time; and refused when tampered with', async () => {
    const edit = { set: { type: 'order.changed' } };
    const answer = await dry({ sign: { mode: 'fresh', secret }, edit });
    const text = body.replace('order.paid', 'order.changed');
    expect((await accepts(answer.body, headerOf(answer, 'stripe-signature') ?? '')).type as string).toBe(
      'order.changed',
    );
    expect(answer.body).toBe(text);
    const tampered = await dry({ sign: { mode: 'tamper', secret }, edit });
    expect(headerOf(tampered, 'stripe-signature')).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(await thrownBy(accepts(text, headerOf(tampered, 'stripe-signature') ?? ''))).toThrow('signature');
    const old = await dry({ sign: { mode: 'fresh', secret, at: Date.now() - 600_000 } });
    expect(await thrownBy(accepts(body, headerOf(old, 'stripe-signature') ?? ''))).toThrow('tolerance');
  });

  test('goes to any allowed destination, and is recorded as signed', async () => {
    to = await peer(ok);
    await replay(200, { sign: { mode: 'fresh', secret } });
    expect((await attemptsOf())[0]).toMatchObject({ signed: true, edited: false });
    await accepts(received().text, /stripe-signature: (.*)\r\n/i.exec(`${received().head}\r\n`)?.[1] ?? '');
  });

  test('with a new id counts as edited', async () => {
    const id = await server.deliver(endpoint, body, {
      headers: { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    });
    const answer = await dry({ sign: { mode: 'fresh', secret, newId: true } }, id);
    expect(headerOf(answer, 'x-github-delivery')).not.toBe('72d3162e-cc78-11e3-81ab-4c9367dc0958');
    expect(headerOf(answer, 'x-hub-signature-256')).toStartWith('sha256=');
    expect(headerOf(answer, 'x-hooktape-edited')).toBe('1');
  });

  test('is 400 where only the platform can sign, or the request makes no sense', async () => {
    const id = await server.deliver(endpoint, body, {
      headers: { 'X-Signature-Ed25519': '00', 'X-Signature-Timestamp': '1' },
    });
    for (const given of [secret, '0'.repeat(64)]) {
      const { error, problems } = await replay<{ error: string; problems: object[] }>(
        400,
        { sign: { mode: 'fresh', secret: given } },
        id,
      );
      expect(error).toStartWith('cannot_sign: ');
      expect(problems).toEqual([{ path: 'sign', code: 'cannot_sign', message: error.slice('cannot_sign: '.length) }]);
    }
    for (const sign of [
      { mode: 'fresh', secret, secretId: 'sec_x' },
      { mode: 'none', secret },
      { mode: 'other' },
      { mode: 'fresh', secret, at: -1 },
      { mode: 'fresh', secret: '' },
      {},
    ])
      await replay(400, { sign });
    await replay(403, { sign: { mode: 'fresh' } });
    await replay(404, { sign: { mode: 'fresh', secretId: 'sec_none' } });
  });

  test('leaves the secret nowhere: not in answers, the record, the log or on disk', async () => {
    const token = 'a-token-that-nobody-may-keep-51c2';
    const echo = (socket: import('node:net').Socket) => {
      const [head = ''] = to.received().split('\r\n\r\n');
      const text = JSON.stringify({ head, twice: Buffer.from(token).toString('base64') });
      socket.end(
        `HTTP/1.1 200 OK\r\nX-Echo: ${/x-gitlab-token: (.*)/i.exec(head)?.[1]?.trim()}\r\nSet-Cookie: s=${token}\r\n\r\n${text}`,
      );
    };
    const id = await server.deliver(endpoint, body, {
      headers: { 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Token': 'another' },
    });
    to = await peer(echo);
    const answers = [await replay(200, { sign: { mode: 'fresh', secret: token } }, id)];
    expect(to.received()).toContain(token);
    answers.push(...(await attemptsOf(id)));
    expect(JSON.stringify(answers[1])).toContain('[redacted]');
    for (const sign of [
      { mode: 'fresh', secret: token, at: -1 },
      { mode: token, secret: token },
      { mode: 'fresh', secret: token, more: token },
    ])
      answers.push(await replay(400, { sign }, id));
    const discord = await server.deliver(endpoint, body, {
      headers: { 'X-Signature-Ed25519': '00', 'X-Signature-Timestamp': '1' },
    });
    answers.push(await replay(400, { sign: { mode: 'fresh', secret: token } }, discord));
    answers.push(await replay(502, { url: 'http://127.0.0.1:1/', sign: { mode: 'fresh', secret: token } }, id));
    expect(JSON.stringify(answers) + JSON.stringify(server.lines)).not.toContain(token);
    for (const file of readdirSync(server.directory, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      expect([file.name, readFileSync(join(file.parentPath, file.name)).includes(token)]).toEqual([file.name, false]);
    }
  });
});

describe('the answer that is kept', () => {
  test('has no credential that an edit brought along', async () => {
    to = await peer(socket => socket.end(`HTTP/1.1 200 OK\r\n\r\n${to.received()}`));
    const result = await replay(200, { edit: { headers: [['Authorization', 'Bearer mine-5d2f']] } });
    expect(to.received()).toContain('Bearer mine-5d2f');
    expect(JSON.stringify([result, await attemptsOf()])).not.toContain('mine-5d2f');
  });

  test('has headers and the first 4 KiB, with cookies redacted', async () => {
    const long = `${'x'.repeat(4095)}ü${'y'.repeat(5000)}`;
    to = await peer(socket =>
      socket.end(`HTTP/1.1 500 No\r\nX-A: 1\r\nSet-Cookie: session=1\r\nx-a: 2\r\n\r\n${long}`),
    );
    await replay(200, {});
    expect((await attemptsOf())[0]).toMatchObject({
      status: 500,
      response: {
        headers: [
          ['X-A', '1'],
          ['Set-Cookie', '[redacted]'],
          ['x-a', '2'],
        ],
        body: 'x'.repeat(4095),
        bodyEncoding: 'utf8',
        truncated: true,
      },
    });
  });

  test('is null without an answer', async () => {
    await replay(502, { url: 'http://127.0.0.1:1/' });
    expect((await attemptsOf())[0]).toMatchObject({ status: null, response: null });
  });
});

test('filters find events that were replayed with changes', async () => {
  to = await peer(ok);
  const own = await ada.createEndpoint('filtered');
  const [edited, plain, silent] = [
    await server.deliver(own, body),
    await server.deliver(own, body),
    await server.deliver(own, body),
  ];
  await replay(200, { edit: { set: { type: 'x' } } }, edited);
  await replay(200, {}, plain);
  await dry({ edit: { set: { type: 'x' } } }, silent);
  const found = async (where: string) => {
    const path = `/api/events?endpointId=${own.id}&where=${encodeURIComponent(where)}`;
    return (await ada.json<{ events: { id: string }[] }>(200, 'GET', path)).events.map(({ id }) => id);
  };
  expect(await found('is:edited')).toEqual([edited]);
  expect(await found('is:replayed -is:edited')).toEqual([plain]);
  expect(await found('-is:edited body.type:order.paid')).toEqual([silent, plain]);
  expect(await found('is:edited OR body.type:none')).toEqual([edited]);
});
