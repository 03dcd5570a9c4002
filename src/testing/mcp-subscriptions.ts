/* A server on this machine with a connected app that subscribes to events, and receivers for its callbacks. */
import type { ConnectedApp } from '../features/apps/model.ts';
import type { SubscribeResult } from '../features/mcp-subscriptions/service.ts';
import { type HeldClock, holdClock } from './clock.ts';
import { type McpReceiver, openMcpReceiver } from './mcp-receiver.ts';
import { openOAuthHarness, type SignedInAccount } from './oauth-harness.ts';
import { eventually } from './poll.ts';
import type { TestServerOptions } from './test-server.ts';

export type RpcAnswer = {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
};
export type Caller = (method: string, params: object) => Promise<RpcAnswer>;

const revision = '2026-07-28';

/** @param declares whether the client declares the extension */
export const createCaller =
  (fetch: (path: string, init: RequestInit) => Promise<Response>, token: string, declares = false): Caller =>
  async (method, params) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': declares
        ? { extensions: { 'io.modelcontextprotocol/events': {} } }
        : {},
    };
    const response = await fetch('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as RpcAnswer;
  };

export type SubscriptionBench = Awaited<ReturnType<typeof openSubscriptions>>;

export async function openSubscriptions({
  clock = holdClock(),
  env,
  ...more
}: TestServerOptions & { clock?: HeldClock } = {}) {
  const harness = await openOAuthHarness({
    clock,
    env: { HOOKTAPE_BASE_URL: 'http://127.0.0.1:4665', ...env },
    ...more,
  });
  const { server, fetch } = harness;
  const ada = await harness.createAccount('ada@example.com');
  const receivers: McpReceiver[] = [];
  let delivered = 0;
  const connect = async (who: SignedInAccount = ada) => {
    const client = await harness.register({ client_name: 'Agent' });
    const tokens = await harness.connect(client, who);
    const call = createCaller(fetch, tokens.access_token);
    return { client, tokens, call, declaring: createCaller(fetch, tokens.access_token, true) };
  };
  const app = await connect();
  const endpoint = await ada.createEndpoint('shop');
  const receiver = (port = 0): McpReceiver => {
    const one = openMcpReceiver({ now: clock.now, port });
    receivers.push(one);
    return one;
  };
  const params = (to: McpReceiver, over: Record<string, unknown> = {}, url = to.url) => ({
    name: 'webhook.received',
    arguments: { endpoint: endpoint.id },
    delivery: { mode: 'webhook', url, secret: to.secrets[0] },
    ...over,
  });
  /** Waits until all stored events are in the queues, and all due items were tried. */
  const idle = async (): Promise<void> => {
    for (let n = 0; n < 2; n++) {
      // A subscription begins after its answer was written, and an event is looked at after its own.
      await new Promise(resolve => setTimeout(resolve, 5));
      await server.services.subscriptions.begun();
      await server.services.background.idle();
      await server.services.queues.idle();
    }
  };
  const subscribe = async (to: McpReceiver, over: Record<string, unknown> = {}, by = app.call) => {
    const { result, error } = await by('events/subscribe', params(to, over));
    if (!result) throw new Error(`not subscribed: ${JSON.stringify(error)}`);
    return result as SubscribeResult;
  };
  return {
    harness,
    server,
    clock,
    ada,
    app,
    connect,
    endpoint,
    receiver,
    params,
    subscribe,
    idle,
    apps: async (who = ada) => (await who.json<{ apps: ConnectedApp[] }>(200, 'GET', '/api/apps')).apps,
    /** Delivers an event that is not a repeated delivery. */
    deliver: (body = `{"delivered":${++delivered}}`, to = endpoint) => server.deliver(to, body),
    until: (is: () => boolean) => eventually(async () => is(), 20_000),
    async close(): Promise<void> {
      await Promise.all(receivers.map(one => one.close()));
      await harness.close();
    },
  };
}
