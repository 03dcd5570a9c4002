/* The guard of an endpoint through real sockets: who is refused, what is stored of it, and where its secrets stand. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { har } from 'har-validator';
import { holdClock } from '../../testing/clock.ts';
import { rowsOf } from '../../testing/events.ts';
import { exchange } from '../../testing/raw-http.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

type Event = {
  id: string;
  refused: number | null;
  answered: { status: number };
  query: string | null;
  params: string[][];
  rawHeaders: string[][];
  signatureValid: boolean | null;
};

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock, env: { HOOKTAPE_TRUSTED_PROXIES: '127.0.0.1/32' } });
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

const guarded = async (guard: object) => {
  const endpoint = await ada.createEndpoint();
  await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { guard: { onRefuse: 'record', ...guard } });
  const { pathname } = new URL(endpoint.url);
  const send = async (suffix = '', init: RequestInit = {}) =>
    fetch(`${await server.listen()}${pathname}${suffix}`, { method: 'POST', body: '{"a":1}', ...init });
  const events = async () =>
    (await ada.json<{ events: Event[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`)).events;
  return { ...endpoint, pathname, send, events };
};
const detail = (id: string) => ada.json<Event>(200, 'GET', `/api/events/${id}`);
const basic = (text: string) => ({ headers: { authorization: `Basic ${btoa(text)}` } });
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

/** Of the database and the journal. */
const bytesOnDisk = (): Buffer =>
  Buffer.concat(
    readdirSync(server.directory, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name))),
  );

describe('PATCH /api/endpoints/{id} with guard', () => {
  const guard = {
    methods: ['POST'],
    cidrs: ['10.0.0.0/8', '2001:db8::/32'],
    basic: { user: 'shop', password: 'pass-word-0123' },
    token: { in: 'header', name: 'X-Token', value: 'token-value-0123' },
    onRefuse: 'drop',
  };
  const shown = { ...guard, basic: { user: 'shop', password: '[set]' }, token: { ...guard.token, value: '[set]' } };

  test('shows secrets as [set] everywhere, and keeps them when that is sent back', async () => {
    const { id, send } = await guarded(guard);
    expect(await ada.json<object>(200, 'PATCH', `/api/endpoints/${id}`, { guard: shown })).toEqual({
      ok: true,
      name: 'inbox',
      guard: shown,
    });
    expect(await ada.json<object>(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ guard: shown });
    const headers = {
      ...basic('shop:pass-word-0123').headers,
      'x-token': 'token-value-0123',
      ...from('10.1.2.3').headers,
    };
    expect((await send('', { headers })).status).toBe(200);
    const text = JSON.stringify(await ada.json(200, 'GET', '/api/endpoints'));
    expect(text).not.toMatch(/pass-word-0123|token-value-0123/);
    await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { name: 'renamed' });
    expect((await send('', { headers })).status).toBe(200);
    await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { guard: null });
    expect((await send()).status).toBe(200);
    await ada.json(400, 'PATCH', `/api/endpoints/${id}`, { guard: shown });
  });

  test.skipIf(isRemote)('its secrets are not in the database in plain text', async () => {
    await guarded(guard);
    await server.services.database.client.execute('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => {});
    const bytes = bytesOnDisk();
    expect([bytes.includes('shop'), bytes.includes('pass-word-0123'), bytes.includes('token-value-0123')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('400 names the field', async () => {
    const { id } = await ada.createEndpoint();
    for (const [wrong, field] of [
      [{ ...guard, cidrs: ['10.0.0.0/33'] }, 'guard.cidrs[0]'],
      [{ ...guard, onRefuse: 'keep' }, 'guard.onRefuse'],
      [{ ...guard, token: { ...guard.token, in: 'body' } }, 'guard.token.in'],
      [[], 'guard'],
      ['x', 'guard'],
    ] as const) {
      expect(await ada.json<object>(400, 'PATCH', `/api/endpoints/${id}`, { guard: wrong })).toMatchObject({
        error: expect.stringContaining(`invalid body: ${field}: must`),
        problems: [{ path: field, message: expect.stringMatching(/^must /) }],
      });
    }
    expect(await ada.json<object>(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ guard: null });
    await ada.json(404, 'PATCH', '/api/endpoints/ep_missing', { guard });
  });
});

describe('a refused delivery', () => {
  test('is answered in the order network, method, credential, and stored with its status', async () => {
    const { id, send, events } = await guarded({
      cidrs: ['10.0.0.0/8'],
      methods: ['POST'],
      basic: { user: 'a', password: 'b' },
    });
    const network = await send('', { method: 'PUT' });
    expect([network.status, await network.json()]).toEqual([403, { error: expect.any(String) }]);
    const method = await send('', { method: 'PUT', ...from('10.0.0.1') });
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST']);
    const credential = await send('', from('10.0.0.1'));
    expect([credential.status, credential.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="hooktape", charset="UTF-8"',
    ]);
    const { headers } = from('10.0.0.1');
    expect((await send('', { headers: { ...headers, ...basic('a:b').headers } })).status).toBe(200);
    const stored = await events();
    expect(stored.map(({ refused, answered }) => [refused, answered.status])).toEqual([
      [null, 200],
      [401, 401],
      [405, 405],
      [403, 403],
    ]);
    const { events: found } = await ada.json<{ events: Event[] }>(
      200,
      'GET',
      `/api/events?endpointId=${id}&where=${encodeURIComponent('is:refused')}`,
    );
    expect(found.map(({ refused }) => refused)).toEqual([401, 405, 403]);
  });

  test('is not stored with drop, and its body is not waited for', async () => {
    const { id, pathname, send } = await guarded({ methods: ['POST'], onRefuse: 'drop' });
    expect((await send('', { method: 'PUT' })).status).toBe(405);
    const origin = await server.listen();
    for (const head of [
      'Content-Length: 3000000',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue\r\nContent-Length: 5',
    ])
      expect(await exchange(origin, `PUT ${pathname} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 405 .*\r\nallow: POST\r\n/s,
      );
    expect(await ada.json<object>(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ eventCount: 0 });
    expect(await server.services.metrics.text()).toMatch(/hooktape_deliveries_total\{result="guarded"\} [4-9]/);
  });

  test('gets neither a handshake nor a rule, and a secret that it delivers is not registered', async () => {
    const { id, send } = await guarded({ basic: { user: 'a', password: 'b' } });
    await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, {
      rules: [{ handshake: true, answer: { status: 202 } }],
    });
    const slack = { body: '{"type":"url_verification","challenge":"c","token":"t"}' };
    expect((await send('', slack)).status).toBe(401);
    await ada.json(200, 'DELETE', `/api/endpoints/${id}/answers`);
    const asana = { 'x-hook-secret': 'a-secret-of-a-stranger' };
    const refused = await send('', { headers: asana, body: '' });
    expect([refused.status, refused.headers.get('x-hook-secret')]).toEqual([401, null]);
    expect(await ada.json<object>(200, 'GET', `/api/endpoints/${id}/secrets`)).toMatchObject({ secrets: [] });
    const taken = await send('', { headers: { ...asana, ...basic('a:b').headers }, body: '' });
    expect([taken.status, taken.headers.get('x-hook-secret')]).toEqual([200, 'a-secret-of-a-stranger']);
  });

  test('a paused endpoint refuses everybody with 503; the earlier URL of one asks for the same', async () => {
    const { id, send } = await guarded({ methods: ['POST'] });
    await ada.json(200, 'POST', `/api/endpoints/${id}/rotate`, {});
    expect([(await send()).status, (await send('', { method: 'PUT' })).status]).toEqual([200, 405]);
    await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { paused: true });
    expect([(await send()).status, (await send('', { method: 'PUT' })).status]).toEqual([503, 503]);
  });

  test('only a trusted proxy decides the address', async () => {
    const { send } = await guarded({ cidrs: ['203.0.113.7', '2001:db8::/64'] });
    const status = async (forwarded: string) => (await send('', from(forwarded))).status;
    expect(await status('203.0.113.7')).toBe(200);
    expect(await status('[2001:db8::1]:443')).toBe(200);
    expect(await status('::ffff:203.0.113.7')).toBe(200);
    // The leftmost hop is what a client claims.
    expect(await status('203.0.113.7, 198.51.100.1')).toBe(403);
    expect(await status('garbage')).toBe(403);
  });
});

describe('the token', () => {
  const token = { in: 'query', name: 'token', value: 'sesame-open-0123' };

  test('is redacted in the event, its exports, its replay and on disk, also of a refused one', async () => {
    const { id, send, events } = await guarded({ token, methods: ['POST'] });
    const suffix = `/x?a=1&token=${token.value}&b=%5B`;
    expect((await send(suffix, { headers: { referer: `https://x/${suffix}` } })).status).toBe(200);
    expect((await send(suffix, { method: 'PUT' })).status).toBe(405);
    expect((await send('?token=wrong-one-0123')).status).toBe(401);
    const stored = await Promise.all((await events()).map(one => detail(one.id)));
    expect(stored.map(({ query, refused }) => [query, refused])).toEqual([
      ['token=wrong-one-0123', 401],
      ['a=1&token=[redacted]&b=%5B', 405],
      ['a=1&token=[redacted]&b=%5B', null],
    ]);
    expect(stored[2]?.params).toEqual([
      ['a', '1'],
      ['token', '[redacted]'],
      ['b', '['],
    ]);
    expect(stored[2]?.rawHeaders).toContainEqual(['Referer', 'https://x//x?a=1&token=[redacted]&b=%5B']);
    for (const format of ['json', 'har', 'ndjson', 'csv', 'curl']) {
      const text = await (await ada.call('GET', `/api/endpoints/${id}/export?format=${format}`)).text();
      expect([format, text.includes(token.value)]).toEqual([format, false]);
      if (format === 'har') await har(JSON.parse(text));
    }
    const dry = await ada.json(200, 'POST', `/api/events/${stored[2]?.id}/replay`, {
      url: 'https://example.com/',
      dryRun: true,
    });
    expect(JSON.stringify(dry)).not.toContain(token.value);
    if (isRemote) return;
    await rowsOf(server, 'SELECT count(*) FROM events');
    expect([bytesOnDisk().includes(token.value), bytesOnDisk().includes('wrong-one-0123')]).toEqual([false, true]);
  });

  test('in a header is redacted there', async () => {
    const { send, events } = await guarded({ token: { in: 'header', name: 'X-Token', value: 'abc' } });
    expect((await send('?q=abc', { headers: { 'x-token': 'abc' } })).status).toBe(200);
    const [stored] = await events();
    expect(await detail(stored?.id ?? '')).toMatchObject({ query: 'q=abc', headers: { 'x-token': '[redacted]' } });
  });

  test('a signature over the URL stays verified although the token is not stored, and others follow secrets added later', async () => {
    const { id, url, send, events } = await guarded({ token });
    await ada.json(201, 'POST', `/api/endpoints/${id}/secrets`, {
      platform: 'twilio',
      secret: 'twilio-auth-token-0123456789abcd',
    });
    const form = { From: '+15550100', MessageSid: 'SM1' };
    const signed = `${url}?token=${token.value}${Object.entries(form)
      .map(pair => pair.join(''))
      .join('')}`;
    const signature = new Bun.CryptoHasher('sha1', 'twilio-auth-token-0123456789abcd').update(signed).digest('base64');
    const headers = { 'x-twilio-signature': signature, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(`?token=${token.value}`, { headers, body: new URLSearchParams(form).toString() })).status).toBe(
      200,
    );
    expect((await events())[0]).toMatchObject({ signatureValid: true });

    const body = '{"zen":"x"}';
    const github = new Bun.CryptoHasher('sha256', 'github-secret').update(body).digest('hex');
    await send(`?token=${token.value}`, {
      headers: { 'x-hub-signature-256': `sha256=${github}`, 'x-github-event': 'ping' },
      body,
    });
    expect((await events())[0]).toMatchObject({ signatureValid: null });
    await ada.json(201, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'github', secret: 'github-secret' });
    expect((await events())[0]).toMatchObject({ signatureValid: true });
  });
});
