/*
 * Ways to make a stored secret sign what its platform did not send, or for somebody else. All are refused, and nothing is sent or
 * recorded. The conditions are in core/no-signing-oracle.ts.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { callTool } from '../../testing/mcp.ts';
import { type OAuthHarness, openOAuthHarness, ownPage, type SignedInAccount } from '../../testing/oauth-harness.ts';
import { closePeers, ok, type Peer, peer, reply } from '../../testing/raw-destination.ts';

const secret = 'a stored secret of the platform';
const body = '{"id":"evt_1","amount":1}';
const listed = 'https://staging.example.com';

let harness: OAuthHarness;
let ada: SignedInAccount;
let bob: SignedInAccount;
let endpoint: { id: string; url: string };
let secretId: string;
let event: string;
let to: Peer;
let local: string;

const stripeHeader = (key: string, at = harness.clock.now(), text = body): string => {
  const t = Math.floor(at / 1000);
  return `t=${t},v1=${createHmac('sha256', key).update(`${t}.${text}`).digest('hex')}`;
};
const deliver = (where: { url: string }, signature: string | undefined = stripeHeader(secret), suffix = '') =>
  harness.server.deliver(where, body, {
    suffix,
    headers: { 'content-type': 'application/json', ...(signature !== undefined && { 'stripe-signature': signature }) },
  });
const addSecret = async (where: { id: string }, value: string, who = ada): Promise<string> => {
  const path = `/api/endpoints/${where.id}/secrets`;
  return (await who.json<{ id: string }>(201, 'POST', path, { platform: 'stripe', secret: value })).id;
};
const allow = (where: { id: string }, id: string, change: object = { maySign: true, destinations: [listed] }) =>
  ada.json(200, 'PATCH', `/api/endpoints/${where.id}/secrets/${id}`, change);

beforeAll(async () => {
  harness = await openOAuthHarness({
    env: { HOOKTAPE_BASE_URL: 'http://localhost:4665', HOOKTAPE_REPLAY_ALLOW: 'localtest.example,127.0.0.2' },
  });
  ada = await harness.createAccount('ada@example.com');
  bob = await harness.createAccount('bob@example.com');
  endpoint = await ada.createEndpoint();
  secretId = await addSecret(endpoint, secret);
  await allow(endpoint, secretId);
  event = await deliver(endpoint);
});
afterEach(closePeers);
afterAll(() => harness.close());

const open = async (answer = ok, host?: string): Promise<void> => {
  to = await peer(answer, host);
  local = `http://127.0.0.1:${to.port}/hook`;
};
const replay = (
  request: object,
  { id = event, headers = { authorization: `Bearer ${ada.key}` } as Record<string, string> } = {},
) =>
  harness.fetch(`/api/events/${id}/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ url: local, sign: { mode: 'fresh', secretId }, ...request }),
  });
const replaysOf = async (id: string) =>
  (await ada.json<{ replays: object[] }>(200, 'GET', `/api/events/${id}`)).replays;

/** The request is refused, and neither the destination nor the record has seen anything. */
async function refused(status: number, request: object, options: Parameters<typeof replay>[1] = {}): Promise<string> {
  const before = await replaysOf(options.id ?? event);
  const answer = await replay(request, options);
  const { error } = (await answer.json()) as { error: string };
  expect([answer.status, to.connects()]).toEqual([status, 0]);
  expect(await replaysOf(options.id ?? event)).toEqual(before);
  return error;
}
const fresh = (more: object = {}) => ({ sign: { mode: 'fresh', secretId, ...more } });

test('a valid event, unchanged, now, to loopback, a listed or an allow-listed destination is signed', async () => {
  await open();
  expect((await replay({})).status).toBe(200);
  const [, time = '', digest] = /stripe-signature: t=(\d+),v1=([0-9a-f]{64})/i.exec(to.received()) ?? [];
  expect(digest).toBe(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
  expect(await replaysOf(event)).toMatchObject([{ signed: true, edited: false, via: 'api' }]);
  const inDashboard = { cookie: ada.cookie, ...ownPage };
  expect((await replay({}, { headers: inDashboard })).status).toBe(200);
  expect((await replaysOf(event))[0]).toMatchObject({ signed: true, via: 'dashboard' });
  expect((await replay({ sign: { mode: 'tamper' } })).status).toBe(200);
  for (const url of [
    `${listed}/deep?x=1`,
    'http://localtest.example/',
    'http://127.0.0.2:8080/',
    'http://[::1]:9/',
    'http://localhost:1',
  ])
    expect((await replay({ url, dryRun: true })).status).toBe(200);
});

describe('something is edited', () => {
  test.each([
    ['a value', { edit: { set: { amount: 2 } } }],
    ['a value, to what it was', { edit: { set: { amount: 1 } } }],
    ['a field less', { edit: { unset: ['amount'] } }],
    ['the whole body, to what it was', { edit: { body } }],
    ['a header', { edit: { headers: [['X-Other', '1']] } }],
    ['the removal of a header that is not there', { edit: { headers: [['X-None', null]] } }],
    ['the signature header', { edit: { headers: [['Stripe-Signature', 't=1,v1=00']] } }],
    ['a new id', fresh({ newId: true })],
    ['tampering with an edit', { sign: { mode: 'tamper', secretId: undefined }, edit: { set: { amount: 2 } } }],
    ['a dry run of an edit', { edit: { set: { amount: 2 } }, dryRun: true }],
    ['an edit signed by whatever secret there is', { sign: { mode: 'fresh' }, edit: { set: { amount: 2 } } }],
  ])('%s', async (_, request) => {
    await open();
    expect(await refused(403, request)).toContain('not edited');
  });
});

describe('another time', () => {
  test.each([-600_000, -6000, 6000, 600_000, 1e12])('%d ms from now', async offset => {
    await open();
    expect(await refused(403, fresh({ at: harness.clock.now() + offset }))).toContain('present time');
  });
});

describe('another destination', () => {
  test.each([
    'https://evil.example/',
    'http://staging.example.com/',
    'https://staging.example.com:8443/',
    'https://staging.example.com:443/',
    'https://STAGING.example.com/',
    'HTTPS://staging.example.com/',
    'https://staging.example.com./',
    'https://staging.example.com.evil.example/',
    'https://evil-staging.example.com/',
    'https://sub.staging.example.com/',
    'https://staging.example.com@evil.example/',
    'https://evil.example@staging.example.com/',
    'https://user:word@staging.example.com/',
    'https://st\u0430ging.example.com/',
    'https://staging。example。com/',
    'https://ｓtaging.example.com/',
    'https://staging%2Eexample.com/',
    'https://staging.example.com%2F@evil.example/',
    'http://localhost.evil.example/',
    'http://evil.localhost/',
    'http://localtest.me/',
    'http://127.0.0.1.nip.io/',
    'http://localtest.example./',
    'http://127.0.0.3.example/',
  ])('%s', async url => {
    await open();
    expect(await refused(403, { url })).toContain('destinations');
    expect(await refused(403, { url, dryRun: true })).toContain('destinations');
    expect(await refused(403, { url, sign: { mode: 'tamper', secretId } })).toContain('destinations');
  });

  test.each([
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::ffff:127.0.0.1]',
    'LOCALHOST',
    'localhost.',
    'x@127.0.0.1',
  ])('loopback spelled %s', async host => {
    await open();
    await refused(403, { url: `http://${host}:${to.port}/` });
  });

  test('a redirect is not followed', async () => {
    const elsewhere = await peer(ok);
    await open(
      reply(`HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:${elsewhere.port}/\r\nContent-Length: 0`),
    );
    expect((await replay({})).status).toBe(200);
    expect([to.connects(), elsewhere.connects()]).toEqual([1, 0]);
  });

  test('the path of the event cannot change the host', async () => {
    await open();
    for (const suffix of ['//evil.example/x', '/@evil.example', '/%5c%5cevil.example?u=//evil.example']) {
      const id = await deliver(endpoint, stripeHeader(secret), suffix);
      await refused(403, { url: 'https://evil.example', appendPath: true }, { id });
      const answer = await replay({ url: listed, appendPath: true, dryRun: true }, { id });
      expect(new URL(((await answer.json()) as { url: string }).url).origin).toBe(listed);
    }
  });
});

describe('somebody else', () => {
  test('an app, with a token and with a key that it made', async () => {
    await open();
    const { access_token } = await harness.connect(await harness.register({ client_name: 'App' }), ada);
    const token = { authorization: `Bearer ${access_token}` };
    const key = await harness.fetch('/api/keys', {
      method: 'POST',
      headers: { ...token, 'content-type': 'application/json' },
      body: '{"name":"of the app"}',
    });
    const ofApp = { authorization: `Bearer ${((await key.json()) as { key: string }).key}` };
    for (const headers of [token, ofApp]) {
      await refused(403, {}, { headers });
      await refused(403, { dryRun: true }, { headers });
      await refused(403, { sign: { mode: 'fresh', secret: 'its own' } }, { headers });
      await refused(403, { sign: undefined, edit: { set: { amount: 2 } } }, { headers });
      const allowed = await harness.fetch(`/api/endpoints/${endpoint.id}/secrets/${secretId}`, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ destinations: ['https://evil.example'] }),
      });
      expect(allowed.status).toBe(403);
      expect((await replay({ sign: undefined }, { headers })).status).toBe(200);
      to = await peer(ok);
      local = `http://127.0.0.1:${to.port}/hook`;
    }
  });

  test('an agent', async () => {
    await open();
    expect((await replay({ sign: undefined })).status).toBe(200);
    const call = { eventId: event, url: local };
    for (const sign of [{ mode: 'fresh', secretId }, 'fresh']) {
      await callTool(harness.fetch, ada.key, 'replay_event', { ...call, sign });
      await callTool(harness.fetch, ada.key, 'replay_event', { ...call, mode: 'fresh', secretId });
    }
    await callTool(harness.fetch, ada.key, 'replay_event', call);
    expect(to.connects()).toBeGreaterThan(1);
    expect([...(to.received().match(/stripe-signature: (.*)\r/gi) ?? [])]).toEqual(
      Array(to.connects()).fill(`stripe-signature: ${stripeHeader(secret, harness.clock.now())}\r`),
    );
  });

  test('another team', async () => {
    await open();
    await refused(404, {}, { headers: { authorization: `Bearer ${bob.key}` } });
    const own = await bob.createEndpoint();
    const id = await deliver(own);
    const answer = await replay({}, { id, headers: { authorization: `Bearer ${bob.key}` } });
    expect([answer.status, to.connects()]).toEqual([404, 0]);
    expect((await bob.call('PATCH', `/api/endpoints/${own.id}/secrets/${secretId}`, { maySign: true })).status).toBe(
      404,
    );
  });
});

describe('another secret or event', () => {
  test('a secret of another endpoint', async () => {
    await open();
    const other = await ada.createEndpoint('other');
    const id = await addSecret(other, secret);
    await allow(other, id);
    await refused(404, { sign: { mode: 'fresh', secretId: id } });
  });

  test('a secret that nobody allowed to sign, or that may not any more', async () => {
    await open();
    const own = await ada.createEndpoint('silent');
    const id = await addSecret(own, secret);
    const at = await deliver(own);
    const sign = { sign: { mode: 'fresh', secretId: id } };
    expect(await refused(403, sign, { id: at })).toContain('may not sign');
    await refused(403, { sign: { mode: 'fresh' } }, { id: at });
    await allow(own, id);
    await allow(own, id, { maySign: false });
    await refused(403, sign, { id: at });
  });

  test('an event that is not valid', async () => {
    await open();
    const late = stripeHeader(secret, harness.clock.now() - 400_000);
    for (const signature of ['t=1,v1=00', stripeHeader('another secret'), late, '']) {
      const id = await deliver(endpoint, signature);
      expect(await refused(403, {}, { id })).toContain('valid');
      await refused(403, { sign: { mode: 'fresh' } }, { id });
      await refused(403, { dryRun: true }, { id });
    }
  });

  test('an event that is valid with another secret of the endpoint', async () => {
    await open();
    const own = await ada.createEndpoint('two');
    const [known, target] = [await addSecret(own, 'known to an attacker'), await addSecret(own, secret)];
    for (const id of [known, target]) await allow(own, id);
    const forged = await deliver(own, stripeHeader('known to an attacker'));
    await refused(403, { sign: { mode: 'fresh', secretId: target } }, { id: forged });
  });

  test('a secret that only a handshake delivered', async () => {
    await open();
    const own = await ada.createEndpoint('learned');
    const token = 'secret_of_a_handshake';
    await harness.server.deliver(own, JSON.stringify({ verification_token: token }));
    const digest = createHmac('sha256', token).update(body).digest('hex');
    const id = await harness.server.deliver(own, body, { headers: { 'x-notion-signature': `sha256=${digest}` } });
    const { secrets } = await ada.json<{ secrets: { id: string; confirmed: boolean }[] }>(
      200,
      'GET',
      `/api/endpoints/${own.id}/secrets`,
    );
    expect(secrets).toMatchObject([{ confirmed: false }]);
    await allow(own, secrets[0]?.id ?? '');
    const sign = { sign: { mode: 'fresh', secretId: secrets[0]?.id } };
    expect(await refused(403, sign, { id })).toContain('not confirmed');
    await ada.json(200, 'POST', `/api/endpoints/${own.id}/secrets/${secrets[0]?.id}/confirm`);
    expect((await replay(sign, { id })).status).toBe(200);
  });

  test('an event whose signature is not stored, so that it cannot be checked again', async () => {
    await open();
    const own = await ada.createEndpoint('teams');
    const key = Buffer.from('a stored secret').toString('base64');
    const path = `/api/endpoints/${own.id}/secrets`;
    const { id } = await ada.json<{ id: string }>(201, 'POST', path, { platform: 'microsoft-teams', secret: key });
    await allow(own, id);
    const mac = createHmac('sha256', Buffer.from(key, 'base64')).update(body).digest('base64');
    const at = await harness.server.deliver(own, body, { headers: { authorization: `HMAC ${mac}` } });
    expect((await ada.json(200, 'GET', `/api/events/${at}`))['signatureValid']).toBe(true);
    await refused(403, { sign: { mode: 'fresh', secretId: id } }, { id: at });
  });
});

describe('a signature that was made with a stored secret is not shown', () => {
  test('in a dry run, which sends and records nothing', async () => {
    await open();
    const before = await replaysOf(event);
    for (const mode of ['fresh', 'tamper']) {
      const answer = await replay({ sign: { mode, secretId }, dryRun: true });
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({
        dryRun: true,
        headers: expect.arrayContaining([['stripe-signature', '[signed]']]),
        body,
      });
      expect(text).not.toContain('v1=');
    }
    expect([to.connects(), await replaysOf(event)]).toEqual([0, before]);
  });

  test('when the destination sends it back', async () => {
    await open(socket => {
      const signature = /stripe-signature: (.*)\r\n/i.exec(to.received())?.[1] ?? '';
      const digest = signature.split('v1=')[1] ?? '';
      const text = JSON.stringify({ signature, digest });
      socket.end(`HTTP/1.1 200 OK\r\nX-Echo: ${signature}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    });
    const text = await (await replay({})).text();
    const [attempt] = await replaysOf(event);
    const digest = /v1=([0-9a-f]{64})/.exec(to.received())?.[1] ?? 'none';
    expect(text).toContain('[signed]');
    expect(text + JSON.stringify(attempt)).not.toContain(digest);
  });
});
