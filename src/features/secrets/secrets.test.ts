import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { holdClock } from '../../testing/clock.ts';
import { exchange } from '../../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

type Signature = { platform: string | null; verdict: string; reason: string | null; proves: string | null };
type Detail = { platform: string; eventType: string; signatureValid: boolean | null; signature: Signature | null };
type Secret = {
  id: string;
  platform: string | null;
  last4: string;
  createdAt: number;
  confirmed: boolean;
  maySign: boolean;
  destinations: string[];
  test: boolean;
};

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

const stripeBody = '{"id":"evt_1","type":"charge.succeeded"}';
const stripeSecret = 'whsec_test_secret_0123456789';
const stripeHeader = (secret: string, at = Math.floor(clock.now() / 1000)): Record<string, string> => ({
  'stripe-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${stripeBody}`).digest('hex')}`,
});
const detail = (id: string): Promise<Detail> => ada.json<Detail>(200, 'GET', `/api/events/${id}`);
const add = (endpoint: { id: string }, platform: string | null, secret: string): Promise<Secret> =>
  ada.json<Secret>(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform, secret });
const list = async (endpoint: { id: string }): Promise<Secret[]> =>
  (await ada.json<{ secrets: Secret[] }>(200, 'GET', `/api/endpoints/${endpoint.id}/secrets`)).secrets;

describe('POST /api/endpoints/{id}/secrets', () => {
  test('201, listed without the secret, and encrypted in the database', async () => {
    const endpoint = await ada.createEndpoint();
    const secret = await add(endpoint, 'Stripe', `  ${stripeSecret}\n`);
    expect(secret).toEqual({
      id: secret.id,
      platform: 'stripe',
      last4: '6789',
      createdAt: clock.now(),
      confirmed: true,
      maySign: false,
      destinations: [],
      test: false,
    });
    expect(await list(endpoint)).toEqual([secret]);
    const { rows } = await server.services.database.client.execute('SELECT sealed FROM secrets');
    for (const [sealed] of rows.map(row => [row[0]] as [ArrayBuffer]))
      expect(Buffer.from(sealed).includes(stripeSecret)).toBe(false);
  });

  test.each([
    [{ platform: 'stripe', secret: '' }, 'empty'],
    [{ platform: 'no-such-platform', secret: 'x'.repeat(20) }, 'unknown platform'],
    [{ platform: 'discord', secret: 'not a key' }, 'Discord'],
    [{ platform: 'stripe' }, 'secret'],
    [{ secret: 5 }, 'secret'],
    [{ platform: 7, secret: 'x' }, 'platform'],
  ])('400 with a reason for %j', async (body, reason) => {
    const endpoint = await ada.createEndpoint();
    const { error } = await ada.json<{ error: string }>(400, 'POST', `/api/endpoints/${endpoint.id}/secrets`, body);
    expect(error).toContain(reason);
  });

  test('a destination of its signatures has at most 300 characters', async () => {
    const endpoint = await ada.createEndpoint();
    const { id } = await add(endpoint, 'stripe', stripeSecret);
    const change = (status: number, destination: string) =>
      ada.json(status, 'PATCH', `/api/endpoints/${endpoint.id}/secrets/${id}`, { destinations: [destination] });
    await change(200, `https://${'a'.repeat(292)}`);
    expect(await change(400, `https://${'a'.repeat(293)}`)).toEqual({
      error: 'destinations[0] must have at most 300 characters',
      problems: [{ path: 'destinations[0]', message: 'must have at most 300 characters' }],
    });
  });

  test('a secret without a platform is used for all platforms', async () => {
    const endpoint = await ada.createEndpoint();
    const created = await ada.json<Secret>(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, {
      secret: stripeSecret,
    });
    expect(created.platform).toBeNull();
    const id = await server.deliver(endpoint, stripeBody, { headers: stripeHeader(stripeSecret) });
    expect((await detail(id)).signatureValid).toBe(true);
  });

  test('an endpoint of another team is answered like a missing one', async () => {
    const theirs = await bob.createEndpoint();
    const own = await ada.createEndpoint();
    const { id } = await add(own, null, 'some secret');
    for (const [method, path, body] of [
      ['GET', `/api/endpoints/${theirs.id}/secrets`, undefined],
      ['POST', `/api/endpoints/${theirs.id}/secrets`, { secret: 'x' }],
      ['DELETE', `/api/endpoints/${theirs.id}/secrets/${id}`, undefined],
    ] as const)
      expect(await ada.json<{ error: string }>(404, method, path, body)).toEqual({ error: 'endpoint not found' });
    expect((await bob.call('DELETE', `/api/endpoints/${theirs.id}/secrets/${id}`)).status).toBe(404);
    expect(await list(own)).toHaveLength(1);
  });
});

describe('the verdict is computed when an event is read', () => {
  test('adding and removing secrets changes the verdicts of stored events', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint, stripeBody, { headers: stripeHeader(stripeSecret) });
    const summary = async () =>
      (await ada.json<{ events: Detail[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`)).events[0];

    expect(await detail(id)).toMatchObject({
      platform: 'stripe',
      eventType: 'charge.succeeded',
      signatureValid: null,
      signature: { verdict: 'unchecked', reason: 'no_secret', proves: null },
    });
    expect((await summary())?.signatureValid).toBeNull();

    const wrong = await add(endpoint, 'stripe', 'whsec_quite_another_one');
    expect(await detail(id)).toMatchObject({
      signatureValid: false,
      signature: { verdict: 'invalid', reason: 'wrong_secret_or_altered_body' },
    });
    expect((await summary())?.signatureValid).toBe(false);

    const right = await add(endpoint, 'stripe', stripeSecret);
    expect(await detail(id)).toMatchObject({
      signatureValid: true,
      signature: { platform: 'stripe', verdict: 'valid', reason: null, proves: 'payload' },
    });
    expect((await summary())?.signatureValid).toBe(true);

    for (const { id: secretId } of [wrong, right])
      expect(await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/secrets/${secretId}`)).toEqual({ ok: true });
    expect((await detail(id)).signatureValid).toBeNull();
    await ada.json(404, 'DELETE', `/api/endpoints/${endpoint.id}/secrets/${right.id}`);
  });

  test('the timestamp tolerance counts from the time of receipt, not of reading', async () => {
    const endpoint = await ada.createEndpoint();
    await add(endpoint, 'stripe', stripeSecret);
    const fresh = await server.deliver(endpoint, stripeBody, { headers: stripeHeader(stripeSecret) });
    const old = await server.deliver(endpoint, stripeBody, {
      headers: stripeHeader(stripeSecret, Math.floor(clock.now() / 1000) - 301),
    });
    clock.advance(3_600_000);
    expect((await detail(fresh)).signatureValid).toBe(true);
    expect((await detail(old)).signature).toMatchObject({ verdict: 'invalid', reason: 'timestamp_out_of_tolerance' });
  });

  test('it is null for an event without a signature, also with a secret', async () => {
    const endpoint = await ada.createEndpoint();
    await add(endpoint, 'stripe', stripeSecret);
    expect(await detail(await server.deliver(endpoint))).toMatchObject({ signature: null, signatureValid: null });
  });

  test('a signature in a header that is not stored is verified at capture, and that verdict is kept', async () => {
    const endpoint = await ada.createEndpoint();
    const { id: secretId } = await add(endpoint, 'cloudflare', 'the shared token');
    const send = (token: string) =>
      server.deliver(endpoint, '{"name":"n","text":"t","ts":1}', { headers: { 'cf-webhook-auth': token } });
    const [good, bad] = [await send('the shared token'), await send('a guess')];
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/secrets/${secretId}`);
    expect(await detail(good)).toMatchObject({
      platform: 'cloudflare',
      signatureValid: true,
      signature: { verdict: 'valid', proves: 'origin' },
    });
    expect(await detail(bad)).toMatchObject({ signatureValid: false, signature: { verdict: 'invalid' } });
    const { events } = await ada.json<{ events: Detail[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
    expect(events.map(event => event.signatureValid)).toEqual([false, true]);
  });
});

describe('handshakes', () => {
  const post = async (endpoint: { url: string }, headers: string, body: string, query = '') =>
    exchange(
      await server.listen(),
      `POST ${new URL(endpoint.url).pathname}${query} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
    );

  test('a challenge is answered as the platform requires, and stored like any delivery', async () => {
    const endpoint = await ada.createEndpoint();
    const answer = await post(
      endpoint,
      'Content-Type: application/json\r\n',
      '{"token":"t","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}',
    );
    expect(answer).toStartWith('HTTP/1.1 200 ');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    });
    expect((await ada.json<{ eventCount: number }>(200, 'GET', `/api/endpoints/${endpoint.id}`)).eventCount).toBe(1);
  });
});

describe('across a restart', () => {
  test('secrets are decrypted again, and another HOOKTAPE_SECRET is refused', async () => {
    const first = await openTestServer({
      clock,
      directory: server.directory,
      env: { HOOKTAPE_DATABASE_URL: `file:${server.directory}/second.db` },
    });
    const dora = await first.createAccount('dora@example.com');
    const endpoint = await dora.createEndpoint();
    await dora.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'stripe', secret: stripeSecret });
    const id = await first.deliver(endpoint, stripeBody, { headers: stripeHeader(stripeSecret) });
    await first.close();

    const env = { HOOKTAPE_DATABASE_URL: `file:${server.directory}/second.db` };
    const wrong = openTestServer({
      clock,
      directory: server.directory,
      env: { ...env, HOOKTAPE_SECRET: 'another one' },
    });
    expect(await thrownBy(wrong)).toThrow('HOOKTAPE_SECRET');

    const again = await openTestServer({ clock, directory: server.directory, env });
    const { key } = await again.services.keys.create(dora.accountId, 'again');
    const response = await again.fetch(`/api/events/${id}`, { headers: { authorization: `Bearer ${key}` } });
    expect(((await response.json()) as Detail).signatureValid).toBe(true);
    await again.close();
  });
});
