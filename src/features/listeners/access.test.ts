/* Who may be a listener and send to one, and that no stored secret signs for one. */
import { afterAll, expect, test } from 'bun:test';
import { createListenerPlayer } from '../../testing/listener.ts';
import { callTool } from '../../testing/mcp.ts';
import { listed as listedOrigin, openSigningHarness } from '../../testing/signing-harness.ts';

const fixture = await openSigningHarness();
const { ada, endpoint, event, harness, refused, replay, secretId } = fixture;
const player = await createListenerPlayer(harness.server, ada);
afterAll(() => harness.close());

const path = `/api/endpoints/${endpoint.id}/listeners`;
const call = { instance: 'of-a-test', targets: ['http://127.0.0.1:9', listedOrigin] };
const post = (where: string, headers: Record<string, string>, body: object) =>
  harness.fetch(where, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a stored secret signs for no listener, whatever targets it names, and nothing is sent', async () => {
  await fixture.open();
  const one = player.listener(endpoint, 'laptop');
  await one.call(call);
  const to = { url: undefined, listener: 'laptop' };
  for (const request of [
    {},
    { sign: { mode: 'fresh' } },
    { sign: { mode: 'tamper', secretId } },
    { dryRun: true },
    { edit: { set: { amount: 2 } } },
    { sign: { mode: 'fresh', secretId, newId: true } },
  ])
    expect(await refused(403, { ...request, ...to })).toMatch(/does not sign for listeners|not edited/);
  expect((await one.call()).body).toEqual({ replays: [] } as never);
  expect((await replay({ ...to, sign: { mode: 'fresh', secret: 'of the request' }, dryRun: true })).status).toBe(200);
});

test('a signature that covers the URL cannot be made for a listener, any other can', async () => {
  const own = await ada.createEndpoint();
  const deliver = (headers: Record<string, string>, body = '{}') => harness.server.deliver(own, body, { headers });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const signed = async (id: string) => {
    const answer = await replay(
      { url: undefined, listener: 'laptop', sign: { mode: 'fresh', secret: 'abc' }, dryRun: true },
      { id },
    );
    return { status: answer.status, text: await answer.text() };
  };
  for (const id of [
    await deliver({ 'x-twilio-signature': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=', ...form }, 'a=1'),
    await deliver({ 'x-mandrill-signature': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=', ...form }, 'mandrill_events=%5B%5D'),
  ])
    expect(await signed(id)).toMatchObject({
      status: 400,
      text: expect.stringContaining('cannot_sign: the signature covers the URL'),
    });
  for (const id of [
    await deliver({ 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }),
    await deliver({ 'x-shopify-topic': 'a', 'x-shopify-hmac-sha256': 'AAAA' }),
  ])
    expect(await signed(id)).toMatchObject({ status: 200 });
});

test('an app may not see listeners, be one, or send to one, also with a key that it made', async () => {
  const { access_token: token } = await harness.connect(await harness.register(), ada);
  const asApp = { authorization: `Bearer ${token}` };
  const created = (await (await post('/api/keys', asApp, { name: 'of the app' })).json()) as { key: string };
  for (const headers of [asApp, { authorization: `Bearer ${created.key}` }]) {
    expect((await harness.fetch(path, { headers })).status).toBe(403);
    expect((await post(`${path}/app`, headers, call)).status).toBe(403);
    expect((await post(`/api/events/${event}/replay`, headers, { listener: 'laptop' })).status).toBe(403);
    expect((await post(`/api/events/${event}/replay`, headers, { listener: 'laptop', dryRun: true })).status).toBe(403);
  }
  expect((await player.listed(endpoint)).map(({ name }) => name)).toEqual(['laptop']);
});

test('a read-only key sees listeners, and is none and sends to none', async () => {
  const { key } = await harness.services.keys.create(ada.accountId, 'reads', { readOnly: true });
  const headers = { authorization: `Bearer ${key}` };
  expect((await harness.fetch(path, { headers })).status).toBe(200);
  expect((await post(`${path}/reader`, headers, call)).status).toBe(403);
  expect((await post(`/api/events/${event}/replay`, headers, { listener: 'laptop' })).status).toBe(403);
});

test('an agent sends to no listener, and not to where a listener has sent', async () => {
  const own = await ada.createEndpoint();
  const id = await harness.server.deliver(own);
  const { take, answer } = player.listener(own, 'laptop');
  const destination = 'https://only-the-listener.example/hooks';
  const [taking] = [take(), await player.isListed(own, 'laptop')];
  const sent = player.replay(200, id, { listener: 'laptop' });
  await answer((await taking).id, { destination });
  await sent;
  expect(await player.replaysOf(id)).toMatchObject([{ destination, via: 'listen' }]);
  const toListener = await callTool(harness.fetch, ada.key, 'replay_event', { eventId: id, listener: 'laptop' });
  expect(toListener.isError ?? true).toBe(true);
  const refusal = await callTool(harness.fetch, ada.key, 'replay_event', { eventId: id, url: destination });
  expect([refusal.isError, refusal.content[0]?.text]).toEqual([true, expect.stringContaining('destination')]);
  expect(await player.replaysOf(id)).toHaveLength(1);
});
