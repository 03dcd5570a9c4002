import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createAnswerVersions } from '../../core/answer-version.ts';
import { holdClock } from '../../testing/clock.ts';
import { openOAuthHarness } from '../../testing/oauth-harness.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Overview, Stats } from './model.ts';
import { createOverviewService } from './service.ts';
import { createOverviewStore } from './store.ts';

const hour = 3_600_000;
const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let accounts = 0;
beforeAll(async () => {
  server = await openTestServer({ clock, env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' } });
});
beforeEach(async () => {
  ada = await server.createAccount(`ada${++accounts}@example.com`);
});
afterAll(() => server.close());

const overview = (query = ''): Promise<Overview> => ada.json<Overview>(200, 'GET', `/api/overview${query}`);
const namesOf = ({ endpoints }: Overview): string[] => endpoints.map(({ name }) => name);
const write = (sql: string, ...args: (string | number)[]) => server.services.database.client.execute({ sql, args });
const get = (etag?: string | null) =>
  server.fetch('/api/overview', {
    headers: { authorization: `Bearer ${ada.key}`, ...(etag && { 'if-none-match': etag }) },
  });

const createForward = (endpoint: { id: string }, name: string) =>
  ada.json<{ id: string }>(201, 'POST', `/api/endpoints/${endpoint.id}/forwards`, { name, url: 'http://127.0.0.1:1/' });
const goDown = (id: string, since: number) =>
  write('UPDATE forwards SET failures = 10, failing_since = ?, probe_at = ? WHERE id = ?', since, since, id);
const createAlert = (endpoint: { id: string }, name: string) =>
  ada.json<{ id: string }>(201, 'POST', `/api/endpoints/${endpoint.id}/alerts`, {
    name,
    kind: 'bad_signatures',
    channel: { type: 'webhook', url: 'http://127.0.0.1:1/' },
  });
const giveUp = (forward: string, event: string) =>
  write(
    `INSERT INTO queue_items (queue, event, attempts, added_at, outcome)
      SELECT queues.seq, (SELECT max(seq) FROM events), 9, ?, NULL FROM queues WHERE owner = ?`,
    clock.now(),
    forward,
  ).then(() =>
    write("UPDATE queue_items SET outcome = 'given_up' WHERE outcome IS NULL AND attempts = 9 AND ? <> ''", event),
  );
/** The newest event is one that was filed with an invalid signature. */
const markInvalid = () =>
  write(
    'INSERT INTO invalid_signatures SELECT seq, endpoint, received_at FROM events WHERE seq = (SELECT max(seq) FROM events)',
  );

describe('the order', () => {
  test('by the latest trouble, then by the last event, then the newest first', async () => {
    const made: Record<string, { id: string; url: string }> = {};
    for (const name of ['old', 'new', 'early', 'late', 'down', 'paused']) made[name] = await ada.createEndpoint(name);
    const { early, late, down, paused } = made as Record<
      'early' | 'late' | 'down' | 'paused',
      { id: string; url: string }
    >;
    await server.deliver(early);
    clock.advance(1000);
    await server.deliver(late);
    await ada.json(200, 'PATCH', `/api/endpoints/${paused.id}`, { paused: true });
    expect(namesOf(await overview())).toEqual(['paused', 'late', 'early', 'down', 'new', 'old']);
    await goDown((await createForward(down, 'warehouse')).id, clock.now() + 1);
    expect(namesOf(await overview())).toEqual(['down', 'paused', 'late', 'early', 'new', 'old']);
    await goDown((await createForward(early, 'mail')).id, clock.now() - 1);
    expect(namesOf(await overview())).toEqual(['down', 'paused', 'early', 'late', 'new', 'old']);
  });

  test('an endpoint whose events have expired is listed as one without events', async () => {
    const endpoint = await ada.createEndpoint('short');
    await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { retention: '10s' });
    await ada.createEndpoint('newer');
    await server.deliver(endpoint);
    expect((await overview()).endpoints[0]).toMatchObject({ name: 'short', eventCount: 1 });
    clock.advance(10_001);
    expect(
      (await overview()).endpoints.map(({ name, eventCount, lastReceivedAt }) => [name, eventCount, lastReceivedAt]),
    ).toEqual([
      ['newer', 0, null],
      ['short', 0, null],
    ]);
  });
});

describe('pages', () => {
  test('no page repeats an endpoint whose trouble ends meanwhile, and none is lost', async () => {
    const made = [];
    for (let i = 0; i < 7; i++) made.push(await ada.createEndpoint(`e${i}`));
    for (const { id } of made.slice(0, 3)) await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { paused: true });
    const first = await overview('?limit=3');
    expect(namesOf(first).sort()).toEqual(['e0', 'e1', 'e2']);
    for (const { id } of made.slice(0, 3)) await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { paused: false });
    const [, , , , e4] = made;
    await server.deliver(e4 as { url: string });
    const second = await overview(`?limit=3&cursor=${first.nextCursor}`);
    expect(namesOf(second)).toEqual(['e4', 'e6', 'e5']);
    const third = await overview(`?limit=3&cursor=${second.nextCursor}`);
    expect([namesOf(third), third.nextCursor, third.total]).toEqual([['e3'], null, 7]);
  });

  test('q is a part of the name in any case, or an id, and counts in `total`', async () => {
    const shop = await ada.createEndpoint('Ünder Shop');
    await ada.createEndpoint('other');
    await ada.json(200, 'PATCH', `/api/endpoints/${shop.id}`, { paused: true });
    for (const q of ['üNDER', 'shop', shop.id, 'Ünder Shop'])
      expect([q, namesOf(await overview(`?q=${encodeURIComponent(q)}`))]).toEqual([q, ['Ünder Shop']]);
    expect((await overview('?q=shop')).total).toBe(1);
    expect(await overview('?q=%25')).toMatchObject({ endpoints: [], total: 0, nextCursor: null });
  });

  test.each(['?cursor=nonsense', '?limit=0', '?limit=101', '?limit=x', '?page=2', '?q=a&q=b', `?q=${'x'.repeat(101)}`])(
    '400 for %s',
    async query => void (await ada.json(400, 'GET', `/api/overview${query}`)),
  );

  test('another team’s endpoints are not in it', async () => {
    const before = ada;
    await before.createEndpoint('theirs');
    ada = await server.createAccount('eve@example.com');
    expect(await overview()).toEqual({ endpoints: [], nextCursor: null, total: 0 });
  });
});

describe('troubles', () => {
  test('there is one of each kind, for each forward and alert, with its name, a link and no URL', async () => {
    const endpoint = await ada.createEndpoint('Shop');
    const event = await server.deliver(endpoint);
    const forward = await createForward(endpoint, 'warehouse');
    const second = await createForward(endpoint, 'mail');
    const alert = await createAlert(endpoint, 'signatures');
    const at = clock.now();
    await goDown(forward.id, at + 1);
    await goDown(second.id, at + 2);
    await write('UPDATE alerts SET firing = 1, changed_at = ? WHERE id = ?', at + 3, alert.id);
    await giveUp(second.id, event);
    await markInvalid();
    clock.advance(5);
    await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { paused: true });
    const answer = await overview();
    const page = `/app/endpoints/${endpoint.id}`;
    expect(answer.endpoints[0]?.troubles).toEqual([
      { kind: 'paused', text: 'Paused: deliveries are refused', link: `${page}/settings`, since: at + 5 },
      { kind: 'alert_firing', text: 'Alert “signatures” is firing', link: `${page}/alerts`, since: at + 3 },
      {
        kind: 'forward_down',
        text: 'Forward “mail” is down',
        link: `${page}/destinations/${second.id}`,
        since: at + 2,
      },
      {
        kind: 'forward_down',
        text: 'Forward “warehouse” is down',
        link: `${page}/destinations/${forward.id}`,
        since: at + 1,
      },
      {
        kind: 'forward_given_up',
        text: 'Forward “mail” gave up on 1 event',
        link: `${page}/destinations/${second.id}?state=given_up`,
        since: at,
      },
      {
        kind: 'invalid_signatures',
        text: '1 invalid signature in the last 24 hours',
        link: `${page}?where=verdict%3Ainvalid`,
        since: at,
      },
    ]);
    expect(JSON.stringify(answer)).not.toContain('http');
  });

  test('paused forwards, disabled alerts and invalid signatures of yesterday are none', async () => {
    const endpoint = await ada.createEndpoint('Shop');
    const forward = await createForward(endpoint, 'warehouse');
    const alert = await createAlert(endpoint, 'signatures');
    await server.deliver(endpoint);
    await markInvalid();
    await goDown(forward.id, clock.now());
    await write('UPDATE alerts SET firing = 1 WHERE id = ?', alert.id);
    expect((await overview()).endpoints[0]?.troubles).toHaveLength(3);
    await write('UPDATE forwards SET enabled = 0 WHERE id = ?', forward.id);
    await write('UPDATE alerts SET enabled = 0 WHERE id = ?', alert.id);
    clock.advance(24 * hour + 1);
    expect((await overview()).endpoints[0]?.troubles).toEqual([]);
  });
});

describe('activity', () => {
  test('is that of GET /api/endpoints/{id}/activity, after a deletion too', async () => {
    const endpoint = await ada.createEndpoint('Shop');
    const event = await server.deliver(endpoint);
    clock.advance(2 * hour);
    await server.deliver(endpoint);
    const activity = async () => {
      const { counts } = await ada.json<{ counts: number[] }>(200, 'GET', `/api/endpoints/${endpoint.id}/activity`);
      const shown = (await overview()).endpoints[0]?.activity ?? [];
      expect(shown).toEqual(counts);
      return [shown.length, shown[21], shown[22], shown[23]];
    };
    expect(await activity()).toEqual([24, 1, 0, 1]);
    await ada.json(200, 'DELETE', `/api/events/${event}`);
    expect(await activity()).toEqual([24, 0, 0, 1]);
  });

  test('leaves out expired events, except pinned ones', async () => {
    const endpoint = await ada.createEndpoint('Shop');
    const pinned = await server.deliver(endpoint);
    await server.deliver(endpoint);
    await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { retention: '1h' });
    await ada.json(200, 'PUT', `/api/events/${pinned}/pin`, {});
    clock.advance(hour + 1);
    const [shown] = (await overview()).endpoints;
    expect([shown?.activity[22], shown?.eventCount]).toEqual([1, 1]);
  });
});

describe('If-None-Match', () => {
  test.each(['abc', '"', '*', '"another"'])('%j is no ETag of the answer, which is given', async value => {
    expect((await get(value)).status).toBe(200);
  });

  test('304 without a body while nothing has changed, and 200 after each change', async () => {
    const endpoint = await ada.createEndpoint('Shop');
    const forward = await createForward(endpoint, 'warehouse');
    const alert = await createAlert(endpoint, 'signatures');
    const event = await server.deliver(endpoint);
    const changes: Record<string, () => Promise<unknown>> = {
      delivery: () => server.deliver(endpoint),
      deletion: () => ada.json(200, 'DELETE', `/api/events/${event}`),
      name: () => ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { name: 'Other' }),
      pause: () => ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { paused: true }),
      'new endpoint': () => ada.createEndpoint('second'),
      'forward that goes down': () => goDown(forward.id, clock.now()),
      'name of a forward': () => write('UPDATE forwards SET name = CAST(? AS BLOB) WHERE id = ?', 'x', forward.id),
      'events given up': () => giveUp(forward.id, event),
      'alert that fires': () => write('UPDATE alerts SET firing = 1 WHERE id = ?', alert.id),
      'removed alert': () => ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/alerts/${alert.id}`),
      'removed forward': () => ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/forwards/${forward.id}`),
      'the next hour': async () => clock.advance(hour),
      'deleted endpoint': () => ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`),
    };
    for (const [what, change] of Object.entries(changes)) {
      const etag = (await get()).headers.get('etag');
      const unchanged = await get(etag);
      expect([what, unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([
        what,
        304,
        '',
        etag,
      ]);
      await change();
      expect([what, (await get(etag)).status]).toEqual([what, 200]);
    }
  });

  test('200 after the expiry of an event, without any write', async () => {
    const endpoint = await ada.createEndpoint('Shop');
    await server.deliver(endpoint);
    await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { retention: '10s' });
    const etag = (await get()).headers.get('etag');
    clock.advance(10_000);
    expect((await get(etag)).status).toBe(304);
    clock.advance(1);
    expect((await get(etag)).status).toBe(200);
  });

  test('a tag of another team, or of other parameters, is not current', async () => {
    const etag = (await get()).headers.get('etag');
    const other = await server.createAccount('zoe@example.com');
    const ask = (path: string, { key }: TestAccount) =>
      server.fetch(path, { headers: { authorization: `Bearer ${key}`, 'if-none-match': etag ?? '' } });
    expect((await ask('/api/overview', other)).status).toBe(200);
    expect((await ask('/api/overview?limit=1', ada)).status).toBe(200);
  });
});

describe('GET /api/stats', () => {
  const stats = () => ada.json<Stats>(200, 'GET', '/api/stats');
  const nothing = { version: expect.any(String), endpoints: 0, events: 0, events24h: 0, failed24h: 0 };

  test('counts what the team has, and nothing of another team', async () => {
    expect(await stats()).toEqual({ ...nothing, forwardsDown: 0, alertsFiring: 0 });
    const endpoint = await ada.createEndpoint('Shop');
    await server.deliver(endpoint);
    clock.advance(20 * hour);
    await server.deliver(endpoint);
    await server.deliver(await ada.createEndpoint('Other'));
    // They are made last, so that nothing is sent.
    const forward = await createForward(endpoint, 'warehouse');
    const alert = await createAlert(endpoint, 'signatures');
    await write(
      'INSERT INTO outcomes SELECT seq, endpoint, received_at, 503, NULL, 0, NULL, 0, NULL FROM events WHERE seq = (SELECT max(seq) FROM events)',
    );
    await goDown(forward.id, clock.now());
    await write('UPDATE alerts SET firing = 1 WHERE id = ?', alert.id);
    const { version } = await stats();
    const counts = { version, endpoints: 2, events: 3, events24h: 3, failed24h: 1, forwardsDown: 1, alertsFiring: 1 };
    expect(await stats()).toEqual(counts);
    clock.advance(5 * hour);
    expect(await stats()).toEqual({ ...counts, events24h: 2 });
    clock.advance(20 * hour);
    await write('UPDATE forwards SET enabled = 0 WHERE id = ?', forward.id);
    await write('UPDATE alerts SET enabled = 0 WHERE id = ?', alert.id);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    const left = { endpoints: 1, events: 1, events24h: 0, failed24h: 0, forwardsDown: 0, alertsFiring: 0 };
    expect(await stats()).toEqual({ version, ...left });
  });

  test('leaves out expired events, except pinned ones', async () => {
    const endpoint = await ada.createEndpoint('Shop');
    const pinned = await server.deliver(endpoint);
    await server.deliver(endpoint);
    await write(
      'INSERT INTO outcomes SELECT seq, endpoint, received_at, 503, NULL, 0, NULL, 0, NULL FROM events ORDER BY seq DESC LIMIT 2',
    );
    expect(await stats()).toMatchObject({ events: 2, events24h: 2, failed24h: 2 });
    await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { retention: '1h' });
    await ada.json(200, 'PUT', `/api/events/${pinned}/pin`, {});
    clock.advance(hour + 1);
    expect(await stats()).toMatchObject({ events: 1, events24h: 1, failed24h: 1 });
  });
});

const paths = ['/api/overview', '/api/stats'];

test.each(paths)('a read-only key may read %s', async path => {
  const { key } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: path, readOnly: true });
  const answer = await server.fetch(path, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
});

test('403 for an OAuth app', async () => {
  const harness = await openOAuthHarness();
  try {
    const { access_token } = await harness.connect(
      await harness.register(),
      await harness.createAccount('app@example.com'),
    );
    expect((await harness.use(access_token, '/api/endpoints')).status).toBe(200);
    for (const path of paths) expect((await harness.use(access_token, path)).status).toBe(403);
  } finally {
    await harness.server.close();
  }
});

test('the number of statements does not depend on the number of endpoints', async () => {
  const { database } = server.services;
  let statements = 0;
  const counted = (db: typeof database.db) =>
    new Proxy(db, {
      get(target, name, receiver) {
        if (name === 'select' || name === 'all') statements++;
        return Reflect.get(target, name, receiver);
      },
    });
  const service = createOverviewService({
    store: createOverviewStore(counted(database.db), counted(database.scanDb)),
    clock,
    retentionMs: { free: 0, pro: 0 },
    findVersion: createAnswerVersions({ teamVersion: async () => 1, clock, random: length => new Uint8Array(length) }),
    serverVersion: 'test',
  });
  const { teamId } = await server.services.account.byEmail(ada.email);
  const read = async () => {
    statements = 0;
    const { answer } = await service.page({ teamId, plan: 'pro', app: undefined }, {});
    return { statements, endpoints: answer.endpoints.length };
  };
  await ada.createEndpoint();
  const few = await read();
  for (let i = 0; i < 30; i++) await ada.createEndpoint(`e${i}`);
  expect(await read()).toEqual({ statements: few.statements, endpoints: 31 });
});
