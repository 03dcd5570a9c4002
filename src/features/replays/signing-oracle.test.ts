/*
 * Ways to make a stored secret sign what its platform did not send, or for somebody else. All are refused, and nothing is sent or
 * recorded. The conditions are in features/replays/no-signing-oracle.ts; signing-secrets.test.ts tries other secrets and events.
 */
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { callTool } from '../../testing/mcp.ts';
import { ownPage } from '../../testing/oauth-harness.ts';
import { closePeers, ok, type Peer, peer, reply } from '../../testing/raw-destination.ts';
import { body, listed, openSigningHarness, secret } from '../../testing/signing-harness.ts';

const fixture = await openSigningHarness();
const { ada, bob, deliver, endpoint, event, harness, localUrl, refused, replay, replaysOf, secretId, stripeHeader } =
  fixture;
afterEach(closePeers);
afterAll(() => harness.close());

let to: Peer;
const open = async (...answer: Parameters<typeof fixture.open>): Promise<void> => {
  to = await fixture.open(...answer);
};
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
      await open();
    }
  });

  test('an agent', async () => {
    await open();
    expect((await replay({ sign: undefined })).status).toBe(200);
    const call = { eventId: event, url: localUrl() };
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
