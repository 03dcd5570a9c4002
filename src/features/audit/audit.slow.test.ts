/* The audit log: every operation that changes something leaves one line, and nothing else does. */
import { afterAll, describe, expect, test } from 'bun:test';
import { runOperation } from '../../cli/operations.ts';
import { commandRules } from '../../core/access/audit-actions.ts';
import { callTool } from '../../testing/mcp.ts';
import {
  createResourcesFor,
  neverSucceeds,
  type Operation,
  openOperationFixture,
  requestFor,
} from '../../testing/operations.ts';
import type { AuditEntry, AuditPage } from './model.ts';
import { sentenceOf } from './sentences.ts';

const fixture = await openOperationFixture();
afterAll(() => fixture.close());
const { ada, bob, harness, operations } = fixture;
const { services } = harness.server;

const entries = (who = ada, query = 'limit=100') => who.json<AuditPage>(200, 'GET', `/api/audit?${query}`);
/** The lines that `act` leaves, oldest first. */
async function linesOf(act: () => Promise<unknown>, who = ada): Promise<AuditEntry[]> {
  const before = (await entries(who, 'limit=1')).entries[0]?.id;
  await act();
  const after = (await entries(who)).entries;
  return after.slice(0, before === undefined ? undefined : after.findIndex(({ id }) => id === before)).reverse();
}

const run = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
  const outcome = await runOperation(services, name, args);
  if (!('result' in outcome)) throw new Error(outcome.failure.message);
  return outcome.result as Record<string, unknown>;
};

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;
const changing = operations.filter(({ reads }) => !reads);

test('every operation that changes something declares its entry, and no other does', () => {
  expect(changing.filter(({ audit }) => audit === undefined).map(nameOf)).toEqual([]);
  expect(operations.filter(({ reads, audit }) => reads && audit !== undefined).map(nameOf)).toEqual([]);
});

/** How the id of a target begins, by its type. */
const prefixes: Record<string, string> = {
  endpoint: 'ep',
  event: 'evt',
  filter: 'flt',
  alert: 'alr',
  forward: 'fwd',
  secret: 'sec',
  replay_job: 'job',
  key: 'key',
  app: 'app',
  subscription: 'sub',
  account: 'acc',
  session: 'ses',
  invitation: 'inv',
  erasure: 'era',
};
/** Operations that somebody who is not signed in makes, or that end the credentials. */
const special = new Set(['signIn', 'acceptInvitation', 'signOut', 'changePassword', ...Object.keys(neverSucceeds)]);
describe('one line is left by', () => {
  test.each(
    changing
      .filter(({ operationId }) => !special.has(operationId))
      .map(operation => [nameOf(operation), operation] as const),
  )('%s', async (_, operation) => {
    const ids = await createResourcesFor(fixture, operation, ada);
    const [path, init] = requestFor(operation, ids, fixture);
    let status = 0;
    const lines = await linesOf(async () => {
      const answer = await harness.fetch(path, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${ada.key}` },
      });
      status = answer.status;
    });
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(300);
    if (operation.audit === null) return expect(lines).toEqual([]);
    expect(lines).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        at: expect.any(Number),
        actor: { id: ada.accountId, email: ada.email },
        via: 'api',
        action: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/),
        target: { type: expect.any(String), id: expect.stringMatching(/^[a-z]+_[0-9a-z]{20,}$/) },
        text: expect.stringMatching(/^ada@example\.com (?!did: )[a-z]+/),
        link: lines[0]?.link === null ? null : expect.stringMatching(/^\/app\//),
      },
    ]);
    const { type = '', id } = lines[0]?.target ?? {};
    expect(id).toStartWith(`${prefixes[type]}_`);
    // Refused, or tried on what does not exist: nothing.
    const refused = await linesOf(() => harness.fetch(path, { ...init, headers: { ...init.headers } }));
    expect(refused).toEqual([]);
  });

  test('signing in and out, a new password, an accepted invitation', async () => {
    const send = (method: string, path: string, body: object, cookie?: string) =>
      harness.fetch(path, {
        method,
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          ...(cookie !== undefined && { cookie }),
        },
        ...(method === 'POST' && { body: JSON.stringify(body) }),
      });
    const password = 'correct horse battery';
    const owner = await harness.createAccount('owner@example.com');
    const lines = await linesOf(async () => {
      const signedIn = await send('POST', '/api/session', { email: owner.email, password });
      const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      await send('POST', '/api/session', { email: owner.email, password: 'another password' });
      await send('POST', '/api/password', { current: password, password: `${password}!` }, cookie);
      await send('DELETE', '/api/session', {}, cookie);
      const { url } = await owner.json<{ url: string }>(201, 'POST', '/api/team/invitations', {
        email: 'new@example.com',
      });
      const token = new URL(url).searchParams.get('invitation') ?? '';
      expect((await send('POST', `/api/invitations/${token}`, { password })).status).toBe(201);
    }, owner);
    expect(lines.map(({ action, via, actor }) => [action, via, actor?.email])).toEqual([
      ['session.started', 'dashboard', owner.email],
      ['account.password_changed', 'dashboard', owner.email],
      ['invitation.created', 'api', owner.email],
      ['invitation.accepted', 'dashboard', 'new@example.com'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('battery');
  });

  test('an app that is connected and that ends its access, and an agent’s replay', async () => {
    const owner = await harness.createAccount('apps@example.com');
    const client = await harness.register();
    const lines = await linesOf(async () => {
      const tokens = await fixture.connect(client, owner);
      const event = await harness.server.deliver(await owner.createEndpoint());
      const replay = () =>
        callTool(harness.fetch, tokens.access_token, 'replay_event', { eventId: event, url: fixture.destination });
      await owner.json(200, 'POST', `/api/events/${event}/replay`, { url: fixture.destination });
      expect((await replay()).isError).toBeFalsy();
      await harness.post('/revoke', { client_id: client.id, token: tokens.refresh_token });
    }, owner);
    expect(lines.map(({ action, via }) => [action, via])).toEqual([
      ['app.connected', 'dashboard'],
      ['endpoint.created', 'api'],
      ['event.replayed', 'api'],
      ['event.replayed', 'api'],
      ['app.disconnected', 'api'],
    ]);
  });
});

describe('commands', () => {
  test('leave one line without an actor, with the team that they concern', async () => {
    const lines = await linesOf(async () => {
      await run('account.create', { email: 'ops@example.com', teamOf: ada.email });
      await run('account.plan', { email: ada.email, plan: 'pro' });
      const { id } = await run('key.create', { account: ada.email, name: 'ops' });
      await run('key.list', { account: ada.email });
      await run('key.revoke', { id });
      await run('account.delete', { email: 'ops@example.com' });
      await run('signing-key.rotate', { now: true });
    });
    expect(lines.map(({ action, via, actor }) => [action, via, actor])).toEqual(
      [
        'account.created',
        'account.plan_changed',
        'key.created',
        'key.revoked',
        'account.deleted',
        'signing_key.rotated',
      ].map(action => [action, 'command', null]),
    );
    expect(lines.every(({ target }) => target.id !== 'undefined')).toBe(true);
  });

  test('and requests that come in batches leave one for the first, and again after ten minutes', async () => {
    const { id } = await ada.createEndpoint();
    const body = {
      attempts: [
        { eventId: 'evt_0000000000000000000000', destination: 'http://127.0.0.1/', status: 200, durationMs: 1 },
      ],
    };
    const report = () => ada.json(200, 'POST', `/api/endpoints/${id}/attempts`, body);
    const lines = await linesOf(async () => {
      for (let n = 0; n < 5; n++) await report();
      await run('import.add', { endpoint: id, events: [] });
      harness.clock.advance(599_000);
      await report();
      await run('import.add', { endpoint: id, events: [] });
      harness.clock.advance(1000);
      await report();
    });
    expect(lines.map(({ action }) => action)).toEqual([
      'endpoint.attempts_reported',
      'endpoint.events_imported',
      'endpoint.attempts_reported',
    ]);
  });

  test('of other teams are not shown', async () => {
    const lines = await linesOf(() => run('key.create', { account: bob.email, name: 'ops' }));
    expect(lines).toEqual([]);
  });

  test('one that is refused leaves none', async () => {
    expect(await linesOf(() => runOperation(services, 'account.create', { email: ada.email }))).toEqual([]);
  });

  test('each has a rule, and its action a sentence', () => {
    const rules = Object.values(commandRules).filter(rule => rule !== null);
    expect(rules.length).toBeGreaterThan(7);
    const row = {
      actorEmail: null,
      targetId: '',
      details: null,
      name: undefined,
      exists: false,
      endpointName: undefined,
    };
    for (const { action, type } of rules)
      expect(sentenceOf({ ...row, action, targetType: type }).text).not.toContain('did: ');
  });
});

describe('GET /api/audit', () => {
  test('is paged, newest first', async () => {
    for (let n = 0; n < 5; n++) await ada.createEndpoint();
    const all = (await entries()).entries;
    const pages: AuditEntry[] = [];
    let cursor: string | null = '';
    while (cursor !== null && pages.length < 5) {
      const page: AuditPage = await entries(ada, `limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.entries);
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(all.slice(0, pages.length));
    expect(pages.length).toBe(6);
  });

  test('as NDJSON is all of it', async () => {
    const answer = await ada.call('GET', '/api/audit?format=ndjson');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = (await answer.text()).trimEnd().split('\n');
    expect(lines.slice(0, 100).map(line => JSON.parse(line))).toEqual((await entries()).entries);
    expect(
      (await (await ada.call('GET', '/api/audit?format=ndjson&limit=3')).text()).trimEnd().split('\n'),
    ).toHaveLength(3);
  });

  test('by a person, about a thing, in a time', async () => {
    const owner = await harness.createAccount('filters@example.com');
    const member = await harness.createAccount('mate@example.com', owner.email);
    const started = harness.clock.now();
    const endpoint = await owner.createEndpoint('shop');
    harness.clock.advance(1000);
    const path = `/api/endpoints/${endpoint.id}/forwards`;
    const forward = await member.json<{ id: string }>(201, 'POST', path, {
      name: 'warehouse',
      url: 'https://x.example/',
    });
    await member.json(200, 'DELETE', `${path}/${forward.id}`);
    await run('account.plan', { email: owner.email, plan: 'pro' });
    const told = async (query: string) => (await entries(owner, query)).entries.map(({ text }) => text).reverse();
    const created = 'filters@example.com created endpoint “shop”';
    const ofForward = ['created', 'deleted'].map(
      verb => `mate@example.com ${verb} forward “warehouse” of endpoint “shop”`,
    );
    const planned = 'The operator changed the plan';
    expect(await told(`from=${started}`)).toEqual([created, ...ofForward, planned]);
    expect(await told(`from=${started}&to=${started}`)).toEqual([created]);
    expect(await told('person=mate%40EXAMPLE.com')).toEqual(ofForward);
    expect(await told(`person=${member.accountId}&limit=1`)).toEqual(ofForward.slice(1));
    expect(await told(`person=operator&from=${started}`)).toEqual([planned]);
    expect(await told('thing=forward')).toEqual(ofForward);
    expect(await told(`thing=${forward.id}`)).toEqual(ofForward);
    expect(await told(`thing=${endpoint.id}`)).toEqual([created, ...ofForward]);
    expect(await told(`thing=${endpoint.id}&person=${owner.email}`)).toEqual([created]);
    expect(await told('person=%25')).toEqual([]);
    const file = await (await owner.call('GET', `/api/audit?format=ndjson&thing=${forward.id}`)).text();
    expect(file.trimEnd().split('\n')).toHaveLength(2);
    const { nextCursor } = await entries(owner, 'thing=forward&limit=1');
    expect(await told(`thing=forward&cursor=${nextCursor}`)).toEqual(ofForward.slice(0, 1));
  });

  test('names an endpoint as it was called then', async () => {
    const owner = await harness.createAccount('renames@example.com');
    const { id } = await owner.createEndpoint('shop');
    await owner.json(200, 'PATCH', `/api/endpoints/${id}`, { name: 'orders' });
    await owner.json(200, 'DELETE', `/api/endpoints/${id}`);
    const told = (await entries(owner, `thing=${id}`)).entries.map(({ text }) => text).reverse();
    expect(told).toEqual([
      'renames@example.com created endpoint “shop”',
      'renames@example.com changed the settings of endpoint “orders”: name',
      'renames@example.com deleted endpoint “orders”',
    ]);
  });

  test('an endpoint’s lines have what was done to its events', async () => {
    const owner = await harness.createAccount('events@example.com');
    const [endpoint, other] = [await owner.createEndpoint(), await owner.createEndpoint()];
    const [id, elsewhere] = [await harness.server.deliver(endpoint), await harness.server.deliver(other)];
    const tokens = await fixture.connect(await harness.register(), owner);
    await owner.json(200, 'PUT', `/api/events/${elsewhere}/pin`, {});
    await owner.json(200, 'PUT', `/api/events/${id}/pin`, {});
    await owner.json(200, 'DELETE', `/api/events/${id}/pin`);
    await owner.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ['seen'] });
    await owner.json(200, 'POST', `/api/events/${id}/replay`, { url: fixture.destination });
    const call = { eventId: id, url: fixture.destination };
    expect((await callTool(harness.fetch, tokens.access_token, 'replay_event', call)).isError).toBeFalsy();
    await owner.json(200, 'DELETE', `/api/events/${id}`);
    expect((await owner.call('DELETE', `/api/events/${id}`)).status).toBe(404);
    const lines = (await entries(owner, `thing=${endpoint.id}`)).entries;
    expect(lines.map(({ action }) => action).reverse()).toEqual([
      'endpoint.created',
      'event.pinned',
      'event.unpinned',
      'event.tagged',
      'event.replayed',
      'event.replayed',
      'event.deleted',
    ]);
  });

  test('links to what still exists', async () => {
    const owner = await harness.createAccount('links@example.com');
    harness.clock.advance(1);
    const since = harness.clock.now();
    const endpoint = await owner.createEndpoint('shop');
    const event = await harness.server.deliver(endpoint);
    await owner.json(200, 'PUT', `/api/events/${event}/pin`, {});
    await owner.json(200, 'POST', `/api/events/${event}/replay`, { url: fixture.destination });
    const job = await owner.json<{ id: string }>(202, 'POST', '/api/replay-jobs', {
      ...{ endpointId: endpoint.id, where: 'is:pinned', dest: `${fixture.destination}/a_secret_path` },
    });
    const alert = {
      name: 'silent',
      kind: 'silence',
      minutes: 7,
      channel: { type: 'webhook', url: 'https://x.example/' },
    };
    const { id } = await owner.json<{ id: string }>(201, 'POST', `/api/endpoints/${endpoint.id}/alerts`, alert);
    await owner.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/alerts/${id}`);
    const invitation = await owner.json<{ id: string }>(201, 'POST', '/api/team/invitations', {
      email: 'new@x.example',
    });
    await owner.json(200, 'DELETE', `/api/team/invitations/${invitation.id}`);
    const mate = await harness.createAccount('mate@x.example', owner.email);
    await mate.json(200, 'DELETE', `/api/events/${event}/pin`);
    await owner.json(200, 'DELETE', `/api/team/members/${mate.accountId}`);
    const key = await owner.json<{ id: string }>(201, 'POST', '/api/keys', { name: 'ops' });
    await owner.json(200, 'DELETE', `/api/keys/${key.id}`);
    const page = await entries(owner, `from=${since}`);
    const at = `/app/endpoints/${endpoint.id}`;
    const host = new URL(fixture.destination).host;
    expect(page.entries.map(({ text, link }) => [text.replace('links@example.com ', ''), link]).reverse()).toEqual([
      ['created endpoint “shop”', `${at}/settings`],
      ['pinned an event', `${at}/events/${event}`],
      ['replayed an event', `${at}/events/${event}`],
      [`started a replay of 1 event to ${host}`, `/app/jobs/${job.id}`],
      ['created alert “silent” of endpoint “shop”', null],
      ['deleted alert “silent” of endpoint “shop”', null],
      ['invited new@x.example', null],
      ['withdrew the invitation of new@x.example', null],
      ['mate@x.example unpinned an event', `${at}/events/${event}`],
      ['removed mate@x.example from the team', null],
      ['created API key “ops”', null],
      ['revoked API key “ops”', null],
    ]);
    expect(JSON.stringify(page)).not.toContain('a_secret_path');
    await owner.json(200, 'DELETE', `/api/endpoints/${endpoint.id}?pinned=true`);
    const deleted = (await entries(owner, `thing=${endpoint.id}`)).entries;
    expect(deleted[0]?.text).toBe('links@example.com deleted endpoint “shop”');
    expect(deleted.map(({ link }) => link).filter(link => link?.startsWith(at))).toEqual([]);
  });

  test.each([
    ...['cursor=x', 'limit=0', 'limit=101', 'format=csv', 'from=x', 'from=2&to=1', 'person=a&person=b', 'actor=a'],
    `thing=${'x'.repeat(400)}`,
  ])('400 for %s', async query => {
    expect((await ada.call('GET', `/api/audit?${query}`)).status).toBe(400);
  });

  test('is for owners', async () => {
    const member = await harness.createAccount('member@example.com', ada.email);
    expect((await member.call('GET', '/api/audit')).status).toBe(403);
    expect((await member.call('GET', '/api/audit?format=ndjson')).status).toBe(403);
  });

  test('has nothing of another team', async () => {
    const { entries: of } = await entries(bob);
    expect(of.some(({ actor }) => actor !== null && actor.id !== bob.accountId)).toBe(false);
  });
});
