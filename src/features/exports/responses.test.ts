import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { har as validateHar } from 'har-validator';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

type Response = {
  status: number;
  statusText: string;
  headers: { name: string; value: string }[];
  content: { size: number; mimeType: string; text?: string };
  bodySize: number;
};
type Har = { log: { entries: { response: Response }[] } };

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
});
afterAll(() => server.close());

const harOf = ({ id }: { id: string }) => ada.json<Har>(200, 'GET', `/api/endpoints/${id}/export?format=har`);

const json = { 'content-type': 'application/json' };
const xeroBody = '{"events":[]}';
const requests: [what: string, suffix: string, init: RequestInit][] = [
  ['a plain delivery', '', { method: 'POST', headers: json, body: '{"a":1}' }],
  ['HEAD', '', { method: 'HEAD' }],
  ['OPTIONS', '', { method: 'OPTIONS', headers: { 'webhook-request-origin': 'eventemitter.example.com' } }],
  ['a challenge in the query', '?challenge=abc%20%C3%A9', { method: 'GET' }],
  [
    'a verify token that does not match',
    '?hub.mode=subscribe&hub.challenge=1&hub.verify_token=guess',
    { method: 'GET' },
  ],
  ['a verify token that matches', '?hub.mode=subscribe&hub.challenge=1&hub.verify_token=right', { method: 'GET' }],
  ['url_verification', '', { method: 'POST', headers: json, body: '{"type":"url_verification","challenge":"c"}' }],
  ['X-Hook-Secret', '', { method: 'POST', headers: { 'x-hook-secret': 'b537207f20cbfa02357cf448134da559' } }],
  ['Notion', '', { method: 'POST', headers: json, body: '{"verification_token":"secret_0123456789"}' }],
  ['Xero, unsigned', '', { method: 'POST', headers: { ...json, 'x-xero-signature': 'bm9uZQ==' }, body: xeroBody }],
  [
    'Xero, signed',
    '',
    {
      method: 'POST',
      headers: { ...json, 'x-xero-signature': createHmac('sha256', 'xero key').update(xeroBody).digest('base64') },
      body: xeroBody,
    },
  ],
];

describe('a response in a HAR export', () => {
  test.each(requests)('is the one that was sent for %s', async (_what, suffix, init) => {
    const endpoint = await ada.createEndpoint();
    for (const [platform, secret] of [
      ['meta', 'right'],
      ['xero', 'xero key'],
    ])
      await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform, secret });
    const given = await fetch(`${await server.listen()}${new URL(endpoint.url).pathname}${suffix}`, init);
    const text = await given.text();
    const har = await harOf(endpoint);
    expect(await validateHar(har as never)).toEqual(har as never);
    const response = har.log.entries[0]?.response;
    expect(response).toMatchObject({
      status: given.status,
      statusText: given.statusText,
      content: { size: Buffer.byteLength(text), mimeType: given.headers.get('content-type') ?? '' },
      bodySize: Buffer.byteLength(text),
    });
    expect(response?.content.text ?? '').toBe(text);
    for (const { name, value } of response?.headers ?? []) expect(given.headers.get(name)).toBe(value);
  });

  test('is computed with the secrets that existed then', async () => {
    const endpoint = await ada.createEndpoint();
    const target = `${new URL(endpoint.url).pathname}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=guess`;
    const given = await fetch(`${await server.listen()}${target}`);
    expect(given.status).toBe(200);
    clock.advance(1);
    await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'meta', secret: 'right' });
    expect((await harOf(endpoint)).log.entries[0]?.response.content.text).toBe(await given.text());
  });

  test('has status 0 for an imported event', async () => {
    const endpoint = await ada.createEndpoint();
    const event = { receivedAt: clock.now(), method: 'POST', path: '', query: null, rawHeaders: [] };
    await server.services.imports.add(endpoint.id, [{ ...event, payloadRaw: 'a', payloadEncoding: 'utf8' }]);
    const har = await harOf(endpoint);
    expect(await validateHar(har as never)).toEqual(har as never);
    expect(har.log.entries[0]?.response).toMatchObject({ status: 0, content: { size: 0 }, headers: [] });
  });
});
