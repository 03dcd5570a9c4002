/* What people see of subscriptions, and how they end: by a person, with a grant, with an endpoint. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { McpReceiver } from '../../testing/mcp-receiver.ts';
import { openSubscriptions, type SubscriptionBench } from '../../testing/mcp-subscriptions.ts';
import type { AuditPage } from '../audit/model.ts';

setDefaultTimeout(120_000);

let bench: SubscriptionBench;
beforeEach(async () => {
  bench = await openSubscriptions();
});
afterEach(() => bench.close());

const pathOf = async (): Promise<string> => {
  const [app] = await bench.apps();
  return `/api/apps/${app?.id}/subscriptions/${app?.subscriptions[0]?.id}`;
};
/** A subscription whose callback is busy, with an event that waits. */
const waitingAt = async (): Promise<McpReceiver> => {
  const to = bench.receiver();
  await bench.subscribe(to);
  to.answer(({ body }) => new Response(null, { status: 'type' in body ? 204 : 503 }));
  await bench.deliver();
  await bench.idle();
  return to;
};
/** Nothing but `terminated` comes any more, and that once. */
const expectEnd = async (to: McpReceiver, error: object): Promise<void> => {
  const before = to.events().length;
  await bench.idle();
  to.answer(() => new Response(null, { status: 204 }));
  await bench.deliver().catch(() => {});
  for (let n = 0; n < 5; n++) {
    bench.clock.advance(200_000);
    await bench.idle();
  }
  expect(to.terminations()).toEqual([{ type: 'terminated', error } as never]);
  expect(to.events()).toHaveLength(before);
  expect(to.problems).toEqual([]);
  const { rows } = await bench.server.services.database.client.execute(
    "SELECT count(*) FROM queues WHERE kind LIKE 'subscription%'",
  );
  expect(Number(rows[0]?.[0])).toBe(0);
};
const forbidden = { code: -32012, message: expect.any(String), data: { reason: expect.any(String) } };

test('GET /api/apps lists them; one that ended is not listed', async () => {
  const to = bench.receiver();
  const given = { endpoint: 'shop', where: 'type:invoice.paid' };
  const { id, refreshBefore } = await bench.subscribe(to, { arguments: given });
  await bench.subscribe(to, { name: 'alert.changed', arguments: {}, ttlMs: null });
  const [app] = await bench.apps();
  const common = { waiting: 0, lastStatus: null, lastDeliveryAt: null, createdAt: bench.clock.now() };
  expect(app?.subscriptions).toEqual([
    {
      ...{ id, name: 'webhook.received', endpointId: bench.endpoint.id, endpointName: 'shop' },
      ...{ where: 'type:invoice.paid', origin: new URL(to.url).origin, ...common },
      refreshBefore: Date.parse(refreshBefore ?? ''),
    },
    {
      ...{ id: expect.any(String), name: 'alert.changed', endpointId: null, endpointName: null },
      ...{ where: '', origin: new URL(to.url).origin, ...common, refreshBefore: null },
    },
  ]);
  const bob = await bench.harness.createAccount('bob@example.com');
  expect(await bench.apps(bob)).toEqual([]);
});

describe('DELETE /api/apps/{id}/subscriptions/{sid}', () => {
  test('ends one, with a signed goodbye, and both are in the audit log', async () => {
    const to = await waitingAt();
    await bench.ada.json(200, 'DELETE', await pathOf());
    expect((await bench.apps())[0]?.subscriptions).toEqual([]);
    await expectEnd(to, forbidden);
    const { entries } = await bench.ada.json<AuditPage>(200, 'GET', '/api/audit?thing=subscription');
    expect(entries.map(({ action, text }) => [action, text]).reverse()).toEqual([
      ['subscription.created', 'ada@example.com let Hooktape notify “Agent” of new events at endpoint “shop”'],
      ['subscription.ended', 'ada@example.com stopped Hooktape from notifying “Agent” of new events'],
    ]);
  });

  test('is not for apps, read-only keys and other accounts', async () => {
    await bench.subscribe(bench.receiver());
    const path = await pathOf();
    expect((await bench.harness.use(bench.app.tokens.access_token, path, { method: 'DELETE' })).status).toBe(403);
    const { key } = await bench.ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
    expect((await bench.harness.use(key, path, { method: 'DELETE' })).status).toBe(403);
    const bob = await bench.harness.createAccount('bob@example.com');
    const cleo = await bench.harness.createAccount('cleo@example.com', bench.ada.email);
    for (const who of [bob, cleo]) expect((await who.call('DELETE', path)).status).toBe(404);
    expect((await bench.ada.call('DELETE', `${path}x`)).status).toBe(404);
    expect((await bench.apps())[0]?.subscriptions).toHaveLength(1);
  });

  test('the app may subscribe again', async () => {
    const to = bench.receiver();
    const { id } = await bench.subscribe(to);
    await bench.ada.json(200, 'DELETE', await pathOf());
    expect((await bench.subscribe(to)).id).toBe(id);
    const event = await bench.deliver();
    await bench.idle();
    expect(to.events().map(({ eventId }) => eventId)).toEqual([event]);
  });
});

describe('a subscription ends', () => {
  test('when the app is disconnected', async () => {
    const to = await waitingAt();
    const [app] = await bench.apps();
    await bench.ada.json(200, 'DELETE', `/api/apps/${app?.id}`);
    await expectEnd(to, forbidden);
  });

  test('when the app revokes its token, in the numbers of its latest subscribe', async () => {
    const to = await waitingAt();
    await bench.subscribe(to, {}, bench.app.declaring);
    await bench.harness.post('/revoke', { client_id: bench.app.client.id, token: bench.app.tokens.refresh_token });
    await expectEnd(to, { ...forbidden, code: -32024 });
  });

  test('when its person is removed', async () => {
    const cleo = await bench.harness.createAccount('cleo@example.com', bench.ada.email);
    const { call } = await bench.connect(cleo);
    const to = bench.receiver();
    await bench.subscribe(to, {}, call);
    await bench.ada.json(200, 'DELETE', `/api/team/members/${cleo.accountId}`);
    await expectEnd(to, forbidden);
  });

  test('when its endpoint is deleted', async () => {
    const to = await waitingAt();
    await bench.ada.json(200, 'DELETE', `/api/endpoints/${bench.endpoint.id}`);
    await expectEnd(to, { code: -32011, message: 'endpoint not found', data: { kind: 'endpoint' } });
  });

  test('when the operator no longer trusts the issuer of its app', async () => {
    const issuer = 'https://login.example.com';
    const trusted = JSON.stringify([{ issuer, audience: 'https://hooks.example.com' }]);
    await bench.close();
    bench = await openSubscriptions({ env: { HOOKTAPE_OAUTH_ISSUERS: trusted } });
    const to = await waitingAt();
    const { client } = bench.server.services.database;
    const isFrom = (from: string) => client.execute({ sql: 'UPDATE connected_apps SET issuer = ?', args: [from] });
    await client.execute('UPDATE mcp_subscriptions SET grant_id = NULL');
    await isFrom(issuer);
    await bench.deliver();
    await bench.idle();
    expect([to.events().length, to.terminations()]).toEqual([2, []]);
    await isFrom('https://former.example.com');
    await expectEnd(to, forbidden);
  });

  test('when its grant runs out, at the latest with the next event', async () => {
    const to = bench.receiver();
    await bench.subscribe(to, { ttlMs: null });
    bench.clock.advance(366 * 24 * 3_600_000);
    await bench.deliver();
    await expectEnd(to, forbidden);
  });
});

test('a goodbye that is not heard is tried again, with the same id', async () => {
  const to = bench.receiver();
  await bench.subscribe(to);
  to.answer(() => new Response(null, { status: 503 }));
  await bench.ada.json(200, 'DELETE', await pathOf());
  for (let n = 0; n < 30; n++) {
    await bench.idle();
    bench.clock.advance(60_000);
  }
  const said = to.messages.filter(({ body }) => 'type' in body && body.type === 'terminated');
  expect(said).toHaveLength(5);
  expect(new Set(said.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1);
});

test('alert.changed is told when an alert fires', async () => {
  const to = bench.receiver();
  await bench.subscribe(to, { name: 'alert.changed', arguments: {} });
  const channel = { type: 'webhook', url: 'http://127.0.0.1:1/alert' };
  const alert = { name: 'quiet', kind: 'silence', minutes: 5, channel };
  await bench.ada.json(201, 'POST', `/api/endpoints/${bench.endpoint.id}/alerts`, alert);
  for (let n = 0; n < 20; n++) {
    bench.server.services.alerts.evaluation.wake();
    await bench.idle();
    bench.clock.advance(25_000);
  }
  const changed = to.events().filter(({ name }) => name === 'alert.changed');
  expect(changed.map(({ data }) => [data['state'], data['endpointName']])).toEqual([['firing', 'shop']]);
});
