import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type OAuthHarness, openOAuthHarness, type SignedInAccount } from '../../testing/oauth-harness.ts';
import type { TestServer } from '../../testing/test-server.ts';
import type { SignatureCheckRequest, SignatureExplanation } from './model.ts';

const secret = 'whsec_the_right_secret';
const body = '{"id":"evt_1","type":"charge.succeeded"}';
const signatureOf = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');
const seconds = (): number => Math.floor(harness.clock.now() / 1000);

let harness: OAuthHarness;
let server: TestServer;
let ada: SignedInAccount;
let bob: SignedInAccount;

beforeAll(async () => {
  harness = await openOAuthHarness();
  server = harness.server;
  ada = await harness.createAccount('ada@example.com');
  bob = await harness.createAccount('bob@example.com');
});
afterAll(() => harness.close());

const check = (id: string, given: SignatureCheckRequest = {}): Promise<SignatureExplanation> =>
  ada.json<SignatureExplanation>(200, 'POST', `/api/events/${id}/signature/check`, given);

const register = (endpoint: { id: string }, value: string, platform: string | null = 'stripe') =>
  ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform, secret: value });

async function deliverStripe(endpoint: { url: string }, at = seconds()): Promise<string> {
  return server.deliver(endpoint, body, {
    headers: { 'stripe-signature': `t=${at},v1=${signatureOf(secret, `${at}.${body}`)}` },
  });
}

describe('POST /api/events/{id}/signature/check', () => {
  test('checks with the secret in the request, and says what was compared', async () => {
    const at = seconds() - 10_920;
    const id = await deliverStripe(await ada.createEndpoint(), at);
    const found = await check(id, { secret: ` ${secret}\n` });
    expect(found).toMatchObject({
      verdict: 'invalid',
      reason: 'timestamp_out_of_tolerance',
      checkedWith: 'request',
      platform: 'stripe',
      scheme: 'hmac-sha256',
      signedString: `${at}.${body}`,
      signedBytes: body.length + 11,
      received: [signatureOf(secret, `${at}.${body}`)],
      expected: [signatureOf(secret, `${at}.${body}`)],
      timestamp: at * 1000,
      timestampFrom: 'header:stripe-signature t',
      toleranceS: 300,
    });
    expect(found.skewS).toBeGreaterThanOrEqual(10_920);
    expect(found.skewS).toBeLessThan(11_000);
  });

  test('nothing is kept: the event is as unchecked as before, and no secret is registered', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await deliverStripe(endpoint);
    expect((await check(id, { secret })).verdict).toBe('valid');
    expect(await ada.json(200, 'GET', `/api/events/${id}`)).toMatchObject({ signature: { reason: 'no_secret' } });
    expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}/secrets`)).toMatchObject({ secrets: [] });
    expect(JSON.stringify(server.lines)).not.toContain(secret);
  });

  test('a body that is not text, and a long one, are shown in part', async () => {
    const endpoint = await ada.createEndpoint();
    const binary = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7919) & 255);
    const id = await server.deliver(endpoint, binary, {
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    });
    const found = await check(id, { secret });
    expect(found).toMatchObject({ signedStringEncoding: 'base64', signedBytes: 70_000 });
    expect(Buffer.from(found.signedString ?? '', 'base64')).toEqual(Buffer.from(binary.subarray(0, 65_536)));
    expect(found.parts).toEqual([{ from: 'body', name: null, start: 0, end: 65_536 }]);
    const text = await server.deliver(endpoint, 'é'.repeat(40_000), {
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    });
    expect((await check(text)).signedString).toBe('é'.repeat(32_768));
  });

  test('400, 401, 404', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await deliverStripe(endpoint);
    const path = `/api/events/${id}/signature/check`;
    for (const given of [
      { secret: '' },
      { secret: 7 },
      { platform: 'no-such' },
      { scheme: 'token' },
      { secret: '••••••' },
    ])
      expect((await ada.call('POST', path, given)).status).toBe(400);
    expect((await bob.call('POST', path, { secret })).status).toBe(404);
    expect((await harness.fetch(path, { method: 'POST', body: '{}' })).status).toBe(401);
  });

  test('an event without a signature', async () => {
    const id = await server.deliver(await ada.createEndpoint(), body);
    expect(await check(id, { secret, platform: 'stripe' })).toMatchObject({
      verdict: 'unchecked',
      reason: 'no_signature',
      signedString: null,
      received: [],
      expected: null,
    });
  });
});

describe('saved secrets that fit', () => {
  const signed = (endpoint: { url: string }, text: string, given: { sent?: string; key?: string } = {}) => {
    const at = seconds();
    const signature = signatureOf(given.key ?? secret, `${at}.${text}`);
    return server.deliver(endpoint, given.sent ?? text, { headers: { 'stripe-signature': `t=${at},v1=${signature}` } });
  };
  const saved = async (endpoint: { id: string }, value: string, platform: string | null = 'stripe') =>
    (await register(endpoint, value, platform)) as { id: string; last4: string };

  test('a valid signature names the secret that it was made with', async () => {
    const endpoint = await ada.createEndpoint();
    await saved(endpoint, 'whsec_of_another_webhook');
    const { id: secretId, last4 } = await saved(endpoint, secret);
    expect(await check(await signed(endpoint, body))).toMatchObject({
      verdict: 'valid',
      expected: null,
      match: { secretId, last4, endpointId: endpoint.id },
      tried: null,
    });
  });

  test('an invalid signature names the secret of another endpoint of the team, and none of another team', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const key = 'whsec_of_the_staging_webhook';
    const own = await saved(endpoint, 'whsec_of_another_webhook');
    const id = await signed(endpoint, body, { key });
    await bob.json(201, 'POST', `/api/endpoints/${(await bob.createEndpoint()).id}/secrets`, {
      platform: 'stripe',
      secret: key,
    });
    expect(await check(id)).toMatchObject({
      match: null,
      tried: { secrets: [{ id: own.id, last4: own.last4 }], changes: expect.arrayContaining(['body_json_rewritten']) },
    });
    const { id: secretId, last4 } = await saved(other, key, null);
    await saved(other, key, 'github');
    const found = await check(id);
    expect(found).toMatchObject({
      verdict: 'invalid',
      checkedWith: 'stored',
      expected: null,
      causes: [{ cause: 'other_secret', proven: true }],
      match: { secretId, last4, endpointId: other.id },
      tried: { changes: [] },
    });
    expect(JSON.stringify(found)).not.toContain(key);
    // An endpoint without a secret says so as well.
    expect(await check(await signed(await ada.createEndpoint(), body, { key }))).toMatchObject({
      reason: 'no_secret',
      match: { secretId },
      tried: { secrets: [], changes: [] },
    });
  });

  test.each([
    ['body_line_end', body, `${body}\n`],
    ['body_line_breaks', '{"a":\r\n1}', '{"a":\n1}'],
    ['body_json_rewritten', '{"id": "evt_1"}', '{\n  "id": "evt_1"\n}'],
  ])('%s is proven with a saved secret', async (cause, text, sent) => {
    const endpoint = await ada.createEndpoint();
    await saved(endpoint, 'whsec_of_another_webhook');
    const { id: secretId } = await saved(endpoint, secret);
    expect(await check(await signed(endpoint, text, { sent }))).toMatchObject({
      verdict: 'invalid',
      expected: null,
      causes: [{ cause, proven: true }],
      match: { secretId },
    });
  });

  test('no other endpoint’s secret is tried on a body over 4 MiB', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const key = 'whsec_of_a_large_webhook';
    const { id: secretId } = await saved(other, key);
    const tried = async (bytes: number) => {
      const { match, tried } = await check(await signed(endpoint, `"${'a'.repeat(bytes - 2)}"`, { key }));
      return [match?.secretId, (tried?.otherSecrets ?? 0) > 0];
    };
    expect(await tried(4 << 20)).toEqual([secretId, true]);
    expect(await tried((4 << 20) + 1)).toEqual([undefined, false]);
  });

  test('none is tried with a secret, a platform or a scheme in the request', async () => {
    const endpoint = await ada.createEndpoint();
    await saved(endpoint, secret);
    const id = await signed(endpoint, body, { sent: `${body}\n` });
    for (const given of [{ secret: 'whsec_a_guess' }, { platform: 'stripe' }, { scheme: 'hmac-sha256' }])
      expect(await check(id, given)).toMatchObject({ match: null, tried: null });
  });
});

describe('it is no signing oracle', () => {
  test('without a secret in the request, nothing that a stored secret gives is in the answer', async () => {
    const endpoint = await ada.createEndpoint();
    await register(endpoint, secret);
    await register(endpoint, secret, null);
    const at = seconds();
    // Somebody wants to know what the stored secret gives for a body of their own.
    const forged = '{"id":"evt_forged","type":"payout.created"}';
    const id = await server.deliver(endpoint, forged, {
      headers: { 'stripe-signature': `t=${at},v1=${'0'.repeat(64)}` },
    });
    const wanted = signatureOf(secret, `${at}.${forged}`);
    const encodings = [wanted, Buffer.from(wanted, 'hex').toString('base64')];
    for (const given of [
      {},
      { platform: 'stripe' },
      { scheme: 'hmac-sha256' },
      { secret: 'whsec_a_guess_of_somebody' },
      { platform: 'github', secret: 'a guess' },
    ]) {
      const answer = JSON.stringify(await check(id, given));
      for (const text of [...encodings, secret]) expect(answer).not.toContain(text);
    }
    expect((await check(id)).expected).toBeNull();
    expect(await check(id)).toMatchObject({
      verdict: 'invalid',
      checkedWith: 'stored',
      causes: [
        { cause: 'other_secret', proven: false },
        { cause: 'other_mode', proven: false },
        { cause: 'body_changed', proven: false },
      ],
    });
  });

  test('stored secrets say nothing about another platform or scheme than the event’s own', async () => {
    const endpoint = await ada.createEndpoint();
    await register(endpoint, secret);
    const id = await deliverStripe(endpoint);
    expect(await check(id)).toMatchObject({ verdict: 'valid', checkedWith: 'stored', expected: null });
    for (const given of [{ platform: 'stripe' }, { scheme: 'hmac-sha256' }])
      expect(await check(id, given)).toMatchObject({ verdict: 'unchecked', reason: 'no_secret', checkedWith: null });
  });

  test('the secret in the request is not in the answer, also where it is signed, sent or refused', async () => {
    const endpoint = await ada.createEndpoint();
    const typed = 'typed-secret-of-ada';
    const deliveries: [string, Record<string, string>][] = [
      ['hubspot', { 'x-hubspot-signature': 'ab'.repeat(32) }],
      ['gitlab', { 'x-gitlab-token': 'presented', 'x-gitlab-event': 'Push Hook' }],
      ['discord', { 'x-signature-ed25519': 'ab'.repeat(64), 'x-signature-timestamp': '1' }],
    ];
    for (const [platform, headers] of deliveries) {
      const id = await server.deliver(endpoint, body, { headers });
      const answer = await ada.call('POST', `/api/events/${id}/signature/check`, { platform, secret: typed });
      expect(await answer.text()).not.toContain(typed);
    }
    expect(JSON.stringify(server.lines)).not.toContain(typed);
  });

  test('an app and its key are refused with 403', async () => {
    const id = await deliverStripe(await ada.createEndpoint());
    const { access_token: token } = await harness.connect(await harness.register(), ada);
    const callAs = (bearer: string, path: string, given: object) =>
      harness.fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
    const { key } = (await (await callAs(token, '/api/keys', { name: 'of the app' })).json()) as { key: string };
    for (const bearer of [token, key])
      expect((await callAs(bearer, `/api/events/${id}/signature/check`, { secret })).status).toBe(403);
  });
});
