/* Streams and waiting calls end when their access ends, and give out nothing after that. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { callTool } from '../../testing/mcp.ts';
import { type OAuthHarness, openOAuthHarness, type SignedInAccount } from '../../testing/oauth-harness.ts';
import { eventually } from '../../testing/poll.ts';
import { readSse } from '../../testing/sse.ts';
import { createFakeSource } from '../../testing/tail-source.ts';
import { createNotificationsService } from './service.ts';

let harness: OAuthHarness;
let origin: string;
let ada: SignedInAccount;
beforeAll(async () => {
  harness = await openOAuthHarness();
  origin = await harness.server.listen();
  ada = await harness.createAccount('ada@example.com');
});
afterAll(() => harness.close());

let people = 0;
/** Credentials of a member of Ada's team, and how they become invalid. */
type Opened = { headers: Record<string, string>; end: () => Promise<unknown> };
const password = 'another correct horse';
const kinds: [string, (cleo: SignedInAccount) => Promise<Opened>][] = [
  [
    'the key is revoked',
    async cleo => {
      const { id, key } = await cleo.json<{ id: string; key: string }>(201, 'POST', '/api/keys', { name: 'viewer' });
      return { headers: { authorization: `Bearer ${key}` }, end: () => cleo.json(200, 'DELETE', `/api/keys/${id}`) };
    },
  ],
  [
    'the operator revokes the key',
    async cleo => {
      const { id, key } = await harness.services.keys.create(cleo.accountId, 'viewer');
      return { headers: { authorization: `Bearer ${key}` }, end: () => harness.services.keys.revokeById(id) };
    },
  ],
  [
    'the member is removed',
    async cleo => ({
      headers: { authorization: `Bearer ${cleo.key}` },
      end: () => ada.json(200, 'DELETE', `/api/team/members/${cleo.accountId}`),
    }),
  ],
  [
    'the account is deleted',
    async cleo => ({
      headers: { authorization: `Bearer ${cleo.key}` },
      end: () => harness.services.account.remove(cleo.email),
    }),
  ],
  [
    'the app is disconnected',
    async cleo => {
      const { access_token } = await harness.connect(await harness.register(), cleo);
      const { apps } = await cleo.json<{ apps: { id: string }[] }>(200, 'GET', '/api/apps');
      return {
        headers: { authorization: `Bearer ${access_token}` },
        end: () => cleo.json(200, 'DELETE', `/api/apps/${apps[0]?.id}`),
      };
    },
  ],
  [
    'the app revokes its token',
    async cleo => {
      const client = await harness.register();
      const { access_token } = await harness.connect(client, cleo);
      return {
        headers: { authorization: `Bearer ${access_token}` },
        end: () => harness.post('/revoke', { client_id: client.id, token: access_token }),
      };
    },
  ],
];
const sessions: typeof kinds = [
  [
    'the session is signed out',
    async ({ cookie }) => ({
      headers: { cookie },
      end: () =>
        harness.fetch('/api/session', {
          method: 'DELETE',
          headers: { cookie, 'sec-fetch-site': 'same-origin', host: 'hooks.test' },
        }),
    }),
  ],
  [
    'the session is ended from elsewhere',
    async cleo => {
      const { sessions: all } = await cleo.json<{ sessions: { id: string }[] }>(200, 'GET', '/api/sessions');
      return { headers: { cookie: cleo.cookie }, end: () => cleo.json(200, 'DELETE', `/api/sessions/${all[0]?.id}`) };
    },
  ],
  [
    'the password is changed',
    async cleo => ({
      headers: { cookie: cleo.cookie },
      end: () => harness.services.account.resetPassword(cleo.email, password),
    }),
  ],
];
const member = (): Promise<SignedInAccount> => harness.createAccount(`cleo-${++people}@example.com`, 'ada@example.com');
/** Well before the next periodic check. */
const atOnceMs = 500;

describe('a stream', () => {
  test.each([...kinds, ...sessions])('ends at once when %s', async (_, open) => {
    const endpoint = await ada.createEndpoint();
    const { headers, end } = await open(await member());
    const stream = await readSse(`${origin}/api/endpoints/${endpoint.id}/stream`, { host: 'hooks.test', ...headers });
    expect(stream.status).toBe(200);
    await harness.server.deliver(endpoint);
    await stream.count(1);
    await end();
    await harness.server.deliver(endpoint);
    await eventually(() => stream.ended() === 'ended', atOnceMs);
    expect(stream.messages).toHaveLength(1);
  });

  test('ends at once when the endpoint is deleted', async () => {
    const endpoint = await ada.createEndpoint();
    const headers = { authorization: `Bearer ${ada.key}` };
    const stream = await readSse(`${origin}/api/endpoints/${endpoint.id}/stream`, headers);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    await eventually(() => stream.ended() === 'ended', atOnceMs);
  });
});

describe('a waiting call of an agent', () => {
  const waiting = (): boolean => harness.services.notifications.openTails() === 1;
  const wait = (endpoint: { id: string }, bearer: string) =>
    callTool(harness.fetch, bearer, 'wait_for_event', { endpointId: endpoint.id, timeoutSeconds: 50 });

  test.each(kinds)('ends at once when %s', async (_, open) => {
    const endpoint = await ada.createEndpoint();
    const { headers, end } = await open(await member());
    const result = wait(endpoint, headers['authorization']?.slice('Bearer '.length) ?? '');
    await eventually(waiting);
    await end();
    await eventually(() => !waiting(), atOnceMs);
    expect(await result).toMatchObject({ isError: true });
  });

  test('goes on when another access ends', async () => {
    const endpoint = await ada.createEndpoint();
    const result = wait(endpoint, ada.key);
    await eventually(waiting);
    const { id } = await harness.services.keys.create(ada.accountId, 'other');
    await ada.json(200, 'DELETE', `/api/keys/${id}`);
    const event = await harness.server.deliver(endpoint);
    expect((await result).structuredContent).toMatchObject({ timedOut: false, events: [{ id: event }] });
  });
});

describe('access that ends', () => {
  const principal = { accountId: 'acc_1', teamId: 'team_1', plan: 'pro' } as const;

  test.each([
    ['in this process, which says so', false],
    ['in another process on a shared database, without notice', true],
  ])('%s: no later event is given out', async (_, isShared) => {
    const source = createFakeSource();
    let hasAccess = true;
    const notifications = createNotificationsService({
      clock: { now: () => 0, monotonic: () => 0 },
      endpoint: async () => ({ seq: 1, token: '', retentionMs: null }),
      events: {
        newest: source.newest,
        listAfter: (_, __, position, limit) => source.listAfter(position, limit),
        listBySeq: (_, __, seqs) => source.listBySeq(seqs),
      },
      createEventFilter: () => {
        throw new Error('no filter is given');
      },
      selectForEach: () => {
        throw new Error('no filter is given');
      },
      streamSemaphore: createSemaphore(1000),
      look: isShared ? async () => ({ newest: await source.newest(), accessMark: '' }) : undefined,
      checkEveryMs: 3_600_000,
    });
    const stream = await notifications.openStream({
      principal,
      endpointId: 'ep_1',
      lastEventId: undefined,
      recheck: async () => (hasAccess ? principal : undefined),
    });
    const reader = stream.getReader();
    const text = async () => Buffer.from((await reader.read()).value ?? []).toString();
    await text();
    notifications.recorded({ endpoint: 1, seq: source.store() });
    expect(await text()).toContain('id: evt_1');
    // On a shared database a check holds for the turn of the event loop in which it was made.
    await new Promise(resolve => setImmediate(resolve));
    hasAccess = false;
    notifications.recorded({ endpoint: 1, seq: source.store() });
    if (!isShared) notifications.recheckAll();
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    expect(notifications.openStreams()).toBe(0);
  });
});
