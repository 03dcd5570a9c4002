import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openOAuthHarness } from '../../testing/oauth-harness.ts';
import type { ChangePage } from './model.ts';

const clock = holdClock();
let harness: Awaited<ReturnType<typeof openOAuthHarness>>;
let ada: Awaited<ReturnType<typeof harness.createAccount>>;
beforeAll(async () => {
  harness = await openOAuthHarness({ clock });
  ada = await harness.createAccount('ada@example.com');
});
afterAll(() => harness.close());

const pathOf = ({ id }: { id: string }): string => `/api/endpoints/${id}`;
const read = (endpoint: { id: string }, query = '', status = 200) =>
  ada.json<ChangePage>(status, 'GET', `${pathOf(endpoint)}/changes${query}`);
const textsOf = async (endpoint: { id: string }, query = '') =>
  (await read(endpoint, query)).changes.map(({ kind, text }) => `${kind}: ${text}`);
const write = (sql: string, ...args: (string | number)[]) => harness.services.database.client.execute({ sql, args });
const newSchema = async ({ id }: { id: string }, path: string, at: number) => {
  await write(
    `INSERT INTO schema_changes (endpoint, platform, type, kind, path, at, event_id)
      SELECT seq, '', 'order.created', 'new', CAST(? AS BLOB), ?, 'evt_1' FROM endpoints WHERE id = ?`,
    path,
    at,
    id,
  );
};

describe('GET /api/endpoints/{id}/changes', () => {
  test('names what changed, newest first, without secrets and values', async () => {
    const endpoint = await ada.createEndpoint('shop');
    const path = pathOf(endpoint);
    const secret = await ada.json<{ id: string }>(201, 'POST', `${path}/secrets`, {
      platform: 'stripe',
      secret: 'whsec_a_secret_value',
    });
    await ada.json(200, 'PATCH', `${path}/secrets/${secret.id}`, { maySign: true });
    await ada.json(200, 'DELETE', `${path}/secrets/${secret.id}`);
    await ada.json(200, 'PATCH', path, { name: 'a_name_value', retention: '5d' });
    await ada.json(200, 'PATCH', path, { guard: { methods: ['POST'], onRefuse: 'drop' }, paused: true });
    await ada.json(200, 'PUT', `${path}/answers`, { rules: [{ answer: { body: 'an_answer_value' } }] });
    await ada.json(200, 'DELETE', `${path}/answers`);
    const given = { name: 'warehouse', url: 'https://a-url-value.example/', headers: [['x-token', 'a_header_value']] };
    const forward = await ada.json<{ id: string }>(201, 'POST', `${path}/forwards`, given);
    await ada.json(200, 'PATCH', `${path}/forwards/${forward.id}`, { where: 'type:a_filter_value', timeoutS: 7 });
    await ada.json(200, 'POST', `${path}/forwards/${forward.id}/pause`);
    await ada.json(200, 'POST', `${path}/forwards/${forward.id}/skip`, { where: 'type:x' });
    await ada.json(200, 'DELETE', `${path}/forwards/${forward.id}`);
    const channel = { type: 'webhook', url: 'https://a-channel-value.example/' };
    const alert = await ada.json<{ id: string }>(201, 'POST', `${path}/alerts`, {
      ...{ name: 'silent', kind: 'silence', minutes: 7, channel },
    });
    await ada.json(200, 'DELETE', `${path}/alerts/${alert.id}`);
    await ada.json(200, 'POST', `${path}/rotate`, {});
    await ada.json(200, 'POST', `${path}/events/delete`, { where: 'type:a_filter_value' });
    await ada.json(201, 'POST', `${path}/filters`, { name: 'not a change', where: 'type:x' });
    const page = await read(endpoint);
    expect(page.changes.map(({ kind, text }) => `${kind}: ${text}`).reverse()).toEqual([
      'settings: ada@example.com created the endpoint',
      'secret: ada@example.com added a signing secret for stripe',
      'secret: ada@example.com let a signing secret for stripe sign',
      'secret: ada@example.com removed a signing secret for stripe',
      'settings: ada@example.com changed the settings: name, retention',
      'guard: ada@example.com changed the guard, and settings: paused',
      'answers: ada@example.com changed the answers',
      'answers: ada@example.com removed the answers',
      'forward: ada@example.com created forward “warehouse”',
      'forward: ada@example.com changed forward “warehouse”: where, timeoutS',
      'forward: ada@example.com paused forward “warehouse”',
      'forward: ada@example.com skipped events of forward “warehouse”',
      'forward: ada@example.com deleted forward “warehouse”',
      'alert: ada@example.com created alert “silent”',
      'alert: ada@example.com deleted alert “silent”',
      'settings: ada@example.com replaced the URL',
      'settings: ada@example.com deleted events',
    ]);
    const links = page.changes.filter(({ kind }) => kind === 'forward').map(({ link }) => link);
    expect(new Set(links)).toEqual(new Set([`/app/endpoints/${endpoint.id}/destinations`]));
    for (const { at, by, link } of page.changes)
      expect([at, by, link.startsWith(`/app/endpoints/${endpoint.id}`)]).toEqual([
        clock.now(),
        'ada@example.com',
        true,
      ]);
    expect(page.nextCursor).toBeNull();
    expect(JSON.stringify(page)).not.toMatch(/value/);
    const { id } = await ada.json<{ id: string }>(201, 'POST', `${path}/forwards`, given);
    expect((await read(endpoint)).changes[0]?.link).toBe(`/app/endpoints/${endpoint.id}/destinations/${id}`);
    const audit = await ada.json<{ entries: object[] }>(200, 'GET', '/api/audit?limit=1');
    expect(Object.keys(audit.entries[0] ?? {})).toEqual([
      'id',
      'at',
      'actor',
      'via',
      'action',
      'target',
      'text',
      'link',
    ]);
    expect((await read(await ada.createEndpoint('other'))).changes).toHaveLength(1);
  });

  test('has changes of schemas between them, in pages without gaps or repeats', async () => {
    const endpoint = await ada.createEndpoint('paged');
    const start = clock.now();
    for (let i = 0; i < 4; i++) {
      await newSchema(endpoint, `a.b${i}`, clock.now());
      await ada.json(200, 'PATCH', pathOf(endpoint), { name: `n${i}` });
      if (i % 2 === 1) clock.advance(1000);
    }
    const all = await textsOf(endpoint);
    expect(all).toHaveLength(9);
    expect(all.filter(text => text.startsWith('schema:'))).toEqual(
      [3, 2, 1, 0].map(i => `schema: New in events of type “order.created”: “a.b${i}”`),
    );
    const [newest] = (await read(endpoint, `?from=${start + 1000}`)).changes.filter(({ kind }) => kind === 'schema');
    expect(newest).toMatchObject({
      by: null,
      link: `/app/endpoints/${endpoint.id}/schemas?type=order.created`,
    });
    for (const limit of [1, 2, 5]) {
      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: ChangePage = await read(endpoint, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        expect(page.changes.length).toBeLessThanOrEqual(limit);
        paged.push(...page.changes.map(({ kind, text }) => `${kind}: ${text}`));
        cursor = page.nextCursor;
      }
      expect(paged).toEqual(all);
    }
    expect(await textsOf(endpoint, `?from=${start + 1000}&to=${start + 1000}`)).toHaveLength(4);
    expect(await textsOf(endpoint, `?to=${start - 1}`)).toEqual([]);
  });

  test('has earlier entries, and those of commands without a person', async () => {
    const endpoint = await ada.createEndpoint('declared');
    await harness.services.audit.recordOfCommand(
      (await write('SELECT team_id FROM endpoints WHERE id = ?', endpoint.id)).rows[0]?.['team_id'] as string,
      'endpoint.changed',
      { type: 'endpoint', id: endpoint.id },
    );
    expect((await read(endpoint)).changes[0]).toMatchObject({
      kind: 'settings',
      text: 'The operator changed the settings',
      by: null,
    });
    await write(
      "INSERT INTO audit SELECT NULL, id, team_id, at, actor_id, actor_email, via, 'forward.deleted', 'forward', 'fwd_1', endpoint_id, NULL FROM audit WHERE target_id = ? LIMIT 1",
      endpoint.id,
    );
    expect((await textsOf(endpoint))[0]).toBe('forward: ada@example.com deleted a forward');
  });

  test('is for members and read-only keys, not for apps or other teams', async () => {
    const endpoint = await ada.createEndpoint('private');
    const member = await harness.createAccount('member@example.com', 'ada@example.com');
    const bob = await harness.createAccount('bob@example.com');
    const { key } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
    const { access_token } = await harness.connect(await harness.register({ client_name: 'App' }), ada);
    const status = async (one: string) =>
      (await harness.fetch(`${pathOf(endpoint)}/changes`, { headers: { authorization: `Bearer ${one}` } })).status;
    expect(await Promise.all([member.key, key, access_token, bob.key].map(status))).toEqual([200, 200, 403, 404]);
  });

  test.each(['limit=0', 'limit=201', 'from=2&to=1', 'from=x', 'cursor=x', 'where=type:x'])('%s is 400', async query => {
    const { id } = await ada.createEndpoint(query);
    await read({ id }, `?${query}`, 400);
    await ada.json(200, 'DELETE', pathOf({ id }));
  });
});
