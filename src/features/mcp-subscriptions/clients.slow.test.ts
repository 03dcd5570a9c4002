/* Clients that exist: the AI SDK, and callbacks in the shape of ChatGPT's. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  createMCPClient,
  experimental_createMCPEventWebhook,
  type Experimental_MCPEvent as MCPEvent,
  type Experimental_MCPEventStore as MCPEventStore,
  type Experimental_MCPEventSubscription as MCPEventSubscription,
} from '@ai-sdk/mcp';
import { holdClock } from '../../testing/clock.ts';
import { newSecret } from '../../testing/mcp-receiver.ts';
import { openSubscriptions, type SubscriptionBench } from '../../testing/mcp-subscriptions.ts';

setDefaultTimeout(120_000);

let bench: SubscriptionBench;
beforeEach(async () => {
  // The library checks timestamps by the real clock.
  bench = await openSubscriptions({ clock: holdClock(Date.now()) });
});
afterEach(() => bench.close());

function memoryStore(): MCPEventStore & { all: () => MCPEventSubscription[] } {
  const byKey = new Map<string, MCPEventSubscription>();
  return {
    all: () => [...byKey.values()],
    get: async key => byKey.get(key),
    getById: async id => [...byKey.values()].find(one => one.id === id),
    set: async one => void byKey.set(one.key, one),
    update: async (key, patch) => void byKey.set(key, { ...(byKey.get(key) as MCPEventSubscription), ...patch }),
    delete: async key => void byKey.delete(key),
  };
}

test('@ai-sdk/mcp lists, subscribes, gets events, refreshes, and is told the end', async () => {
  const store = memoryStore();
  const got: MCPEvent[] = [];
  const ended: unknown[] = [];
  const errors: unknown[] = [];
  const handle = experimental_createMCPEventWebhook({
    store,
    onEvent: async ({ event }) => void got.push(event),
    onTerminated: async ({ termination }) => void ended.push(termination.error.code),
    onError: error => void errors.push(error),
  });
  const statuses: number[] = [];
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const response = await handle(request);
      statuses.push(response.status);
      return response;
    },
  });
  const origin = await bench.server.listen();
  const { tokens } = await bench.connect();
  const client = await createMCPClient({
    experimental_events: { store },
    transport: { type: 'http', url: `${origin}/mcp`, headers: { authorization: `Bearer ${tokens.access_token}` } },
  });
  const { list, subscribe, refresh, unsubscribe } = client.experimental_events;
  expect((await list()).events.map(({ name }) => name)).toEqual(['webhook.received', 'alert.changed']);
  const delivery = {
    mode: 'webhook' as const,
    url: `http://127.0.0.1:${http.port}/events`,
    allowInsecureLocalhost: true,
  };
  const result = await subscribe({ name: 'webhook.received', arguments: { endpoint: 'shop' }, delivery });
  const first = await bench.deliver();
  await bench.until(() => got.length === 1);
  expect(got[0]).toMatchObject({ eventId: first, name: 'webhook.received' });
  expect(statuses).toEqual([200, 204]);
  expect(store.all()[0]).toMatchObject({ id: result.id, status: 'active', cursor: got[0]?.cursor });

  expect((await refresh({ id: result.id })).id).toBe(result.id);
  await bench.deliver();
  await bench.until(() => got.length === 2);
  const second = await subscribe({ name: 'alert.changed', delivery });
  await unsubscribe({ id: second.id });
  expect(store.all()).toHaveLength(1);

  const app = (await bench.apps()).find(({ subscriptions }) => subscriptions.length > 0);
  await bench.ada.json(200, 'DELETE', `/api/apps/${app?.id}/subscriptions/${result.id}`);
  await bench.until(() => ended.length === 1);
  expect([ended, store.all(), errors]).toEqual([[-32012], [], []]);
  await client.close();
  await http.stop(true);
});

test('a callback in the shape of ChatGPT’s: a long path, one secret for all, the answers that its guide wants', async () => {
  const to = bench.receiver();
  const secret = newSecret(64);
  to.secrets.splice(0, 1, secret);
  const url = `${new URL(to.url).origin}/aip/mcp/events/webhook/${'a1b2c3d4'.repeat(16)}?connector=link_1&v=1`;
  const params = {
    name: 'webhook.received',
    arguments: { endpoint: bench.endpoint.id, where: 'type:invoice.*' },
    delivery: { mode: 'webhook', url, secret },
    cursor: null,
    ttlMs: null,
  };
  const { result, error } = await bench.app.call('events/subscribe', params);
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ refreshBefore: null, truncated: false, cursor: expect.any(String) });
  await bench.idle();
  const event = await bench.server.deliver(bench.endpoint, '{"type":"invoice.paid","amount":5}');
  await bench.idle();
  expect(to.problems).toEqual([]);
  expect(to.messages.map(({ path, query }) => path + query)).toEqual(
    Array(2).fill(url.slice(new URL(url).origin.length)),
  );
  const { body, headers } = to.messages.at(-1) ?? {};
  expect(body).toMatchObject({ eventId: event, name: 'webhook.received', data: { eventType: 'invoice.paid' } });
  expect([headers?.get('webhook-id'), headers?.get('x-mcp-subscription-id')]).toEqual([
    event,
    result?.['id'] as string,
  ]);
  // 410 concerns this delivery only, and what is over is no error.
  to.answer(() => new Response(null, { status: 410 }));
  await bench.server.deliver(bench.endpoint, '{"type":"invoice.void"}');
  await bench.idle();
  expect((await bench.apps())[0]?.subscriptions[0]).toMatchObject({ waiting: 0, lastStatus: 410 });
  for (let n = 0; n < 2; n++) expect((await bench.app.call('events/unsubscribe', params)).error).toBeUndefined();
});
