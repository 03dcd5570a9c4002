import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { holdClock } from '../../testing/clock.ts';
import { openOAuthHarness } from '../../testing/oauth-harness.ts';
import { exchange } from '../../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

type Endpoint = { id: string; url: string };
type Secret = { id: string; platform: string | null; last4: string; confirmed: boolean };
type SecretList = { secrets: Secret[]; learnSecretsUntil: number | null };
type Detail = { signatureValid: boolean | null; signature: { verdict: string; reason: string | null } };

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

const send = async (endpoint: Endpoint, headers: string, body = ''): Promise<string> =>
  exchange(
    await server.listen(),
    `POST ${new URL(endpoint.url).pathname} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
const asanaHandshake = (endpoint: Endpoint, secret: string): Promise<string> =>
  send(endpoint, `X-Hook-Secret: ${secret}\r\n`);
const notionHandshake = (endpoint: Endpoint, token: string): Promise<string> =>
  send(endpoint, 'Content-Type: application/json\r\n', JSON.stringify({ verification_token: token }));
const body = '{"events":[]}';
const deliverSigned = (endpoint: Endpoint, secret: string): Promise<string> =>
  server.deliver(endpoint, body, {
    headers: { 'x-hook-signature': createHmac('sha256', secret).update(body).digest('hex') },
  });
const detail = (id: string): Promise<Detail> => ada.json<Detail>(200, 'GET', `/api/events/${id}`);
const list = (endpoint: Endpoint): Promise<SecretList> =>
  ada.json<SecretList>(200, 'GET', `/api/endpoints/${endpoint.id}/secrets`);
const confirm = (endpoint: Endpoint, { id }: { id: string }): Promise<Secret> =>
  ada.json<Secret>(200, 'POST', `/api/endpoints/${endpoint.id}/secrets/${id}/confirm`);
const openWindow = (endpoint: Endpoint, learnSecretsFor: string | null) =>
  ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { learnSecretsFor });

const planted = 'b537207f20cbfa02357cf448134da559';
const unconfirmed = { signatureValid: null, signature: { verdict: 'unchecked', reason: 'unconfirmed_secret' } };

describe('a secret that a handshake delivers', () => {
  test('is unconfirmed, and signatures made with it are not valid until a person confirms it', async () => {
    const endpoint = await ada.createEndpoint();
    expect(await asanaHandshake(endpoint, planted)).toMatch(new RegExp(`\r\nx-hook-secret: ${planted}\r\n`, 'i'));
    const { secrets } = await list(endpoint);
    expect(secrets).toMatchObject([{ platform: 'asana', last4: 'a559', confirmed: false }]);

    const id = await deliverSigned(endpoint, planted);
    const other = await deliverSigned(endpoint, 'another secret');
    expect(await detail(id)).toMatchObject(unconfirmed);
    expect(await detail(other)).toMatchObject(unconfirmed);

    const [secret = { id: '' }] = secrets;
    expect(await confirm(endpoint, secret)).toEqual({ ...(secret as Secret), confirmed: true });
    expect(await confirm(endpoint, secret)).toMatchObject({ confirmed: true });
    expect(await detail(id)).toMatchObject({ signatureValid: true, signature: { verdict: 'valid', reason: null } });
    expect(await detail(other)).toMatchObject({ signatureValid: false, signature: { verdict: 'invalid' } });
  });

  test('is listed once, however often it is delivered', async () => {
    const endpoint = await ada.createEndpoint();
    for (let i = 0; i < 3; i++) await asanaHandshake(endpoint, planted);
    expect((await list(endpoint)).secrets).toHaveLength(1);
    const [secret = { id: '' }] = (await list(endpoint)).secrets;
    await confirm(endpoint, secret);
    await asanaHandshake(endpoint, planted);
    expect((await list(endpoint)).secrets).toMatchObject([{ confirmed: true }]);
  });

  test('is unconfirmed from Notion, too', async () => {
    const endpoint = await ada.createEndpoint();
    expect(await notionHandshake(endpoint, 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl')).toEndWith(
      '{"ok":true}',
    );
    expect((await list(endpoint)).secrets).toMatchObject([{ platform: 'notion', confirmed: false }]);
  });

  test('replaces the oldest of three unconfirmed ones, and no confirmed one', async () => {
    const endpoint = await ada.createEndpoint();
    for (let i = 0; i < 20; i++)
      await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, {
        platform: 'asana',
        secret: `registered ${i}`,
      });
    await notionHandshake(endpoint, 'secret_notion_0000');
    for (let i = 0; i < 3; i++) {
      clock.advance(1);
      await asanaHandshake(endpoint, `one-by-one-${i}`);
    }
    clock.advance(1);
    await Promise.all(Array.from({ length: 40 }, (_, i) => asanaHandshake(endpoint, `at-once-${i}`)));
    const { secrets } = await list(endpoint);
    const isOf = (platform: string, confirmed: boolean) =>
      secrets.filter(one => one.platform === platform && one.confirmed === confirmed).length;
    expect([isOf('asana', true), isOf('asana', false), isOf('notion', false)]).toEqual([20, 3, 1]);
    // At the limit of confirmed secrets, another one is refused and nothing changes.
    const [learned = { id: '' }] = secrets.filter(one => !one.confirmed);
    const { error } = await ada.json<{ error: string }>(
      400,
      'POST',
      `/api/endpoints/${endpoint.id}/secrets/${learned.id}/confirm`,
    );
    expect(error).toContain('at most 20');
    expect((await list(endpoint)).secrets).toHaveLength(24);
  });

  test('does not replace an unconfirmed secret from before an upgrade, however many are delivered', async () => {
    const endpoint = await ada.createEndpoint();
    const path = `/api/endpoints/${endpoint.id}/secrets`;
    for (let i = 0; i < 5; i++) {
      clock.advance(1);
      await ada.json(201, 'POST', path, { platform: 'asana', secret: `registered ${i}` });
    }
    const { database, secrets } = server.services;
    const { seq } = await server.services.endpoints.owned(
      await server.services.account.byEmail(ada.email),
      endpoint.id,
    );
    await database.client.execute({ sql: 'UPDATE secrets SET confirmed = 0 WHERE endpoint = ?', args: [seq] });
    await secrets.refresh();
    for (let i = 0; i < 5; i++) {
      clock.advance(1);
      await asanaHandshake(endpoint, `stranger-${i}`);
    }
    expect((await list(endpoint)).secrets.map(({ last4 }) => last4)).toEqual([
      ...['ed 0', 'ed 1', 'ed 2', 'ed 3', 'ed 4'],
      ...['er-2', 'er-3', 'er-4'],
    ]);
  });

  test('can be removed', async () => {
    const endpoint = await ada.createEndpoint();
    await asanaHandshake(endpoint, planted);
    const [secret = { id: '' }] = (await list(endpoint)).secrets;
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/secrets/${secret.id}`);
    expect(await detail(await deliverSigned(endpoint, planted))).toMatchObject({ signature: { reason: 'no_secret' } });
  });
});

describe('POST /api/endpoints/{id}/secrets/{secretId}/confirm', () => {
  test('404 for a missing secret and for one of another team', async () => {
    const endpoint = await ada.createEndpoint();
    await asanaHandshake(endpoint, planted);
    const [secret = { id: '' }] = (await list(endpoint)).secrets;
    const theirs = await bob.createEndpoint();
    const path = (endpointId: string, id: string) => `/api/endpoints/${endpointId}/secrets/${id}/confirm`;
    expect(await ada.json<object>(404, 'POST', path(endpoint.id, 'sec_none'))).toEqual({ error: 'secret not found' });
    expect(await bob.json<object>(404, 'POST', path(endpoint.id, secret.id))).toEqual({ error: 'endpoint not found' });
    expect(await bob.json<object>(404, 'POST', path(theirs.id, secret.id))).toEqual({ error: 'secret not found' });
    expect((await list(endpoint)).secrets).toMatchObject([{ confirmed: false }]);
  });

  test.each(['', '{}', 'garbage'])('the request body is ignored: %p', async sent => {
    const endpoint = await ada.createEndpoint();
    await asanaHandshake(endpoint, planted);
    const [secret = { id: '' }] = (await list(endpoint)).secrets;
    const response = await server.fetch(`/api/endpoints/${endpoint.id}/secrets/${secret.id}/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
      body: sent,
    });
    expect(response.status).toBe(200);
  });
});

describe('PATCH /api/endpoints/{id} with learnSecretsFor', () => {
  test('the next secret in the window is confirmed, and the window closes', async () => {
    const endpoint = await ada.createEndpoint('inbox');
    const until = clock.now() + 600_000;
    expect(await openWindow(endpoint, '10m')).toEqual({ ok: true, name: 'inbox', learnSecretsUntil: until });
    expect(await list(endpoint)).toEqual({ secrets: [], learnSecretsUntil: until });
    clock.advance(599_998);
    await asanaHandshake(endpoint, planted);
    clock.advance(1);
    await asanaHandshake(endpoint, 'a-second-one');
    expect(await list(endpoint)).toMatchObject({
      secrets: [
        { last4: 'a559', confirmed: true },
        { last4: '-one', confirmed: false },
      ],
      learnSecretsUntil: null,
    });
    expect(await detail(await deliverSigned(endpoint, planted))).toMatchObject({ signatureValid: true });
  });

  test('one of several that arrive at once is confirmed', async () => {
    const endpoint = await ada.createEndpoint();
    await openWindow(endpoint, '1h');
    await Promise.all(Array.from({ length: 10 }, (_, i) => asanaHandshake(endpoint, `at-once-${i}`)));
    expect((await list(endpoint)).secrets.filter(one => one.confirmed)).toHaveLength(1);
  });

  test('a secret from before the window is confirmed when it arrives again', async () => {
    const endpoint = await ada.createEndpoint();
    await asanaHandshake(endpoint, planted);
    await openWindow(endpoint, '10m');
    await asanaHandshake(endpoint, planted);
    expect(await list(endpoint)).toMatchObject({ secrets: [{ confirmed: true }], learnSecretsUntil: null });
  });

  test.each(['0s', '0', null])('%p closes the window', async closing => {
    const endpoint = await ada.createEndpoint();
    await openWindow(endpoint, '10m');
    expect(await openWindow(endpoint, closing)).toMatchObject({ ok: true, learnSecretsUntil: null });
    await asanaHandshake(endpoint, planted);
    expect((await list(endpoint)).secrets).toMatchObject([{ confirmed: false }]);
  });

  test('the window closes when its time is over', async () => {
    const endpoint = await ada.createEndpoint();
    await openWindow(endpoint, '10m');
    clock.advance(600_000);
    expect((await list(endpoint)).learnSecretsUntil).toBeNull();
    await asanaHandshake(endpoint, planted);
    expect((await list(endpoint)).secrets).toMatchObject([{ confirmed: false }]);
  });

  test('the name can be changed with it or alone', async () => {
    const { id } = await ada.createEndpoint('inbox');
    const path = `/api/endpoints/${id}`;
    expect(await ada.json(200, 'PATCH', path, { name: 'one', learnSecretsFor: '24h' })).toEqual({
      ok: true,
      name: 'one',
      learnSecretsUntil: clock.now() + 86_400_000,
    });
    expect(await ada.json(200, 'PATCH', path, { name: 'two' })).toEqual({ ok: true, name: 'two' });
    expect((await list({ id, url: '' })).learnSecretsUntil).toBe(clock.now() + 86_400_000);
  });

  test.each([
    [{}, 'name: required'],
    [{ learnSecretsFor: '25h' }, 'at most 24h'],
    [{ learnSecretsFor: '86401s' }, 'at most 24h'],
    [{ learnSecretsFor: 'soon' }, 'a duration such as 10m'],
    [{ learnSecretsFor: '-1s' }, 'a duration such as 10m'],
    [{ learnSecretsFor: 600 }, 'learnSecretsFor'],
    [{ name: '', learnSecretsFor: '10m' }, 'name'],
    [{ name: 'fine', learnSecretsFor: 'soon' }, 'a duration such as 10m'],
  ])('400 for %j, and nothing changes', async (change, reason) => {
    const endpoint = await ada.createEndpoint('inbox');
    const { error } = await ada.json<{ error: string }>(400, 'PATCH', `/api/endpoints/${endpoint.id}`, change);
    expect(error).toContain(reason);
    expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({ name: 'inbox' });
    expect((await list(endpoint)).learnSecretsUntil).toBeNull();
  });

  test('404 for an endpoint of another team', async () => {
    const theirs = await bob.createEndpoint();
    await ada.json(404, 'PATCH', `/api/endpoints/${theirs.id}`, { learnSecretsFor: '10m' });
  });
});

test('a connected app can neither confirm a secret nor open a window', async () => {
  const harness = await openOAuthHarness();
  try {
    const person = await harness.createAccount('cora@example.com');
    const { access_token } = await harness.connect(await harness.register(), person);
    const { id } = await person.createEndpoint();
    const statusOf = async (method: string, path: string, sent: unknown): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await harness.use(access_token, path, { method, headers, body: JSON.stringify(sent) })).status;
    };
    expect(await statusOf('POST', `/api/endpoints/${id}/secrets/sec_any/confirm`, {})).toBe(403);
    expect(await statusOf('PATCH', `/api/endpoints/${id}`, { learnSecretsFor: '10m' })).toBe(403);
    expect(await statusOf('PATCH', `/api/endpoints/${id}`, { name: 'b', learnSecretsFor: null })).toBe(403);
    expect(await statusOf('PATCH', `/api/endpoints/${id}`, { name: 'a' })).toBe(200);
  } finally {
    await harness.close();
  }
});
