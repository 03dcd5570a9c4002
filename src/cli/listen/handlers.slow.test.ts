/*
 * Handlers as people write them, with the senders' own libraries, as targets of the program `hooktape listen`. HOOKTAPE_PROGRAM: the
 * executable to use in place of the source.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import Stripe from 'stripe';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

setDefaultTimeout(120_000);

const secret = 'whsec_a_secret_of_the_sender_0123456789';
const program = Bun.env['HOOKTAPE_PROGRAM']?.split(' ') ?? [process.execPath, join(import.meta.dir, '../../main.ts')];

let server: TestServer;
let ada: TestAccount;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
});
afterAll(async () => {
  for (const close of closing) await close();
  await server.close();
});

type Line = { event: string; id: string; type: string | null; status: number | null; target: string };
type Handler = { url: string; seen: unknown[] };
type Sent = { headers: Record<string, string>; body: string };
type Sender = {
  open: () => Promise<Handler>;
  /** A delivery as the sender makes it. */
  sign: (at: number) => Sent | Promise<Sent>;
  path?: string;
};

async function listening(answer: RequestListener, path = '/webhooks'): Promise<string> {
  const http: Server = createServer(answer);
  closing.push(() => http.close());
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const stripe = new Stripe('sk_test_123');
const stripeBody = JSON.stringify(
  {
    id: 'evt_1',
    object: 'event',
    type: 'invoice.paid',
    api_version: '2026-10-01',
    created: 1,
    livemode: false,
    data: { object: { id: 'in_1', object: 'invoice', amount_due: 1200 } },
  },
  null,
  2,
);

const githubBody = '{"zen":"Keep it logically awesome.","hook_id":1,"repository":{"full_name":"a/b"}}';
const slackBody = JSON.stringify({
  token: 't',
  team_id: 'T1',
  api_app_id: 'A1',
  type: 'event_callback',
  event_id: 'Ev1',
  event_time: 1,
  event: { type: 'app_mention', user: 'U1', text: 'hello', ts: '1.1', channel: 'C1', event_ts: '1.1' },
});

const senders: Record<'Stripe' | 'GitHub' | 'Slack', Sender> = {
  Stripe: {
    async open() {
      const seen: unknown[] = [];
      const url = await listening(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        try {
          const header = request.headers['stripe-signature'] ?? '';
          seen.push((await stripe.webhooks.constructEventAsync(Buffer.concat(chunks).toString(), header, secret)).type);
          response.writeHead(200).end();
        } catch (error) {
          response.writeHead(400).end((error as Error).message);
        }
      });
      return { url, seen };
    },
    sign: async at => ({
      body: stripeBody,
      headers: {
        'stripe-signature': await stripe.webhooks.generateTestHeaderStringAsync({
          payload: stripeBody,
          secret,
          timestamp: Math.floor(at / 1000),
        }),
      },
    }),
  },
  GitHub: {
    async open() {
      const seen: unknown[] = [];
      const webhooks = new Webhooks({ secret, log: silent });
      webhooks.onAny(({ name }) => void seen.push(name));
      return { url: await listening(createNodeMiddleware(webhooks, { path: '/webhooks', log: silent })), seen };
    },
    sign: async () => ({
      body: githubBody,
      headers: {
        'user-agent': 'GitHub-Hookshot/1a2b3c4',
        'x-github-event': 'ping',
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        'x-hub-signature-256': await new Webhooks({ secret }).sign(githubBody),
      },
    }),
  },
  Slack: {
    async open() {
      const seen: unknown[] = [];
      const receiver = new HTTPReceiver({ signingSecret: secret, endpoints: ['/webhooks'], logLevel: LogLevel.ERROR });
      const logger = { ...silent, setLevel() {}, getLevel: () => LogLevel.ERROR, setName() {} };
      const app = new App({ receiver, authorize: async () => ({}), logger });
      app.event('app_mention', async ({ event }) => void seen.push(event.type));
      const url = await listening((request, response) => receiver.requestListener(request, response));
      return { url, seen };
    },
    sign: at => {
      const time = String(Math.floor(at / 1000));
      return {
        body: slackBody,
        headers: {
          'x-slack-request-timestamp': time,
          'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${time}:${slackBody}`).digest('hex')}`,
        },
      };
    },
  },
};

/** `hooktape listen` from the beginning of the endpoint's history, until it is stopped. */
async function listen(endpoint: { id: string }, handler: Handler, options: string[]) {
  const { PATH = '', HOME = '/tmp' } = Bun.env;
  const given = [
    'listen',
    endpoint.id,
    '--to',
    handler.url,
    '--from',
    'start',
    '--output',
    'json',
    '--on-fail',
    'skip',
  ];
  const child = Bun.spawn([...program, ...given, '--retry', '0', ...options], {
    env: { PATH, HOME, HOOKTAPE_URL: await server.listen(), HOOKTAPE_KEY: ada.key, SENDER_SECRET: secret },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const said = { stdout: '', stderr: '' };
  const collect = async (name: 'stdout' | 'stderr') => {
    for await (const chunk of child[name]) said[name] += Buffer.from(chunk).toString();
  };
  const collected = Promise.all([collect('stdout'), collect('stderr')]);
  const lines = () =>
    said.stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Line);
  return {
    said,
    /** The status of each event at the handler, once all are dealt with. */
    async outcomes(ids: readonly string[]): Promise<(number | null | undefined)[]> {
      await eventually(() => ids.every(id => lines().some(one => one.id === id && one.event === 'settled')), 20_000);
      return ids.map(id => lines().find(one => one.id === id && /^(answered|failed)$/.test(one.event))?.status);
    },
    async stop() {
      child.kill('SIGINT');
      await collected;
      expect(await child.exited).toBe(0);
    },
  };
}

describe.each([
  ['Stripe', 'constructEvent', [200, 400], 'signed 10 min ago, Stripe allows 5 min: try --resign', 'invoice.paid'],
  ['Slack', 'Bolt', [200, 401], 'signed 10 min ago, Slack allows 5 min: try --resign', 'app_mention'],
  // It signs no time.
  ['GitHub', 'the Octokit middleware', [200, 200], undefined, 'ping'],
] as const)('%s: %s', (name, _, statuses, hint, type) => {
  const sender = senders[name];
  let endpoint: { id: string; url: string };
  let ids: string[];
  beforeAll(async () => {
    endpoint = await ada.createEndpoint(name);
    const deliver = async (at: number) => {
      const { headers, body } = await sender.sign(at);
      return server.deliver(endpoint, body, { headers: { 'content-type': 'application/json', ...headers } });
    };
    ids = [await deliver(Date.now()), await deliver(Date.now() - 605_000)];
  });

  test('accepts events as captured, and a refusal for age is explained', async () => {
    const handler = await sender.open();
    const listener = await listen(endpoint, handler, ['--as', 'captured']);
    expect(await listener.outcomes(ids)).toEqual([...statuses]);
    if (hint !== undefined) await eventually(() => listener.said.stderr.includes(hint));
    await listener.stop();
    expect(handler.seen).toEqual(statuses.filter(status => status === 200).map(() => type));
  });

  test('takes all of them with --resign', async () => {
    const handler = await sender.open();
    const listener = await listen(endpoint, handler, ['--as', 'resigned', '--resign', '--secret-env', 'SENDER_SECRET']);
    expect(await listener.outcomes(ids)).toEqual([200, 200]);
    await listener.stop();
    expect(handler.seen).toEqual([type, type]);
  });

  test('refuses another secret, and a replay of the server with the right one gets its answer', async () => {
    const handler = await sender.open();
    const listener = await listen(endpoint, handler, ['--as', 'replayed', '--from', 'now']);
    await eventually(async () => {
      const { listeners } = await ada.json<{ listeners: object[] }>(
        200,
        'GET',
        `/api/endpoints/${endpoint.id}/listeners`,
      );
      return listeners.length > 0;
    });
    const replay = (sign: object) =>
      ada.json(200, 'POST', `/api/events/${ids[1]}/replay`, { listener: 'replayed', sign: { mode: 'fresh', ...sign } });
    expect(await replay({ secret: 'whsec_another_secret_0123456789' })).toMatchObject({ ok: false });
    expect(await replay({ secret })).toMatchObject({ ok: true, status: 200 });
    await listener.stop();
    expect(handler.seen).toEqual([type]);
  });
});

test('the answer to a replay has no secret of this machine that the handler echoed', async () => {
  const endpoint = await ada.createEndpoint();
  const id = await server.deliver(endpoint, '{}', {
    headers: { 'x-github-event': 'push', 'x-hub-signature-256': 'sha256=00' },
  });
  const url = await listening((_, response) => response.setHeader('x-config', secret).end(`configured with ${secret}`));
  const options = ['--as', 'echo', '--from', 'now', '--resign', '--secret-env', 'SENDER_SECRET'];
  const listener = await listen(endpoint, { url, seen: [] }, options);
  await eventually(
    async () => (await ada.call('POST', `/api/events/${id}/replay`, { listener: 'echo' })).status === 200,
  );
  await listener.stop();
  const text = JSON.stringify(await ada.json(200, 'GET', `/api/events/${id}`));
  expect([text.includes('configured with [redacted]'), text.includes(secret)]).toEqual([true, false]);
});
