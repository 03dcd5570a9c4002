/* An erasure deletes every event that has a text, with all that was kept of it, and nothing of it is left on the disk. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describeHits, scanFiles } from '../../testing/disk-scan.ts';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Erasure } from './model.ts';

const text = 'ada.lovelace@example.org';
const other = 'grace.hopper@example.org';

let server: TestServer;
let owner: TestAccount;
beforeEach(async () => {
  server = await openTestServer();
  owner = await server.createAccount();
});
afterEach(() => server.close());

const erase = (given: object = {}, account = owner) =>
  account.json<Erasure>(200, 'POST', '/api/erasures', { text, ...given });
const idsOf = async (endpoint: { id: string }): Promise<string[]> =>
  (
    await owner.json<{ events: { id: string }[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}&limit=100`)
  ).events.map(({ id }) => id);

/** Deliveries that have the text, each in another way. */
const ways: Record<string, { body?: string; init?: RequestInit & { suffix?: string } }> = {
  'in the body': { body: JSON.stringify({ customer: { email: text } }) },
  'in another case': { body: JSON.stringify({ email: text.toUpperCase() }) },
  escaped: {
    body: JSON.stringify({ email: 'x' }).replace(
      'x',
      [...text].map(c => `\\u00${c.charCodeAt(0).toString(16)}`).join(''),
    ),
  },
  'in a form': { body: new URLSearchParams({ payload: JSON.stringify({ email: text }) }).toString() },
  'in a header': { body: '{}', init: { headers: { 'x-customer': text } } },
  'in the query': { body: '{}', init: { suffix: `?email=${encodeURIComponent(text)}` } },
  'in the path': { body: '{}', init: { suffix: `/customers/${encodeURIComponent(text)}` } },
  'in a large body': { body: JSON.stringify({ fill: 'x'.repeat(300_000), email: text }) },
};

describe('POST /api/erasures', () => {
  test('deletes every event that has the text, and no other', async () => {
    const [first, second] = [await owner.createEndpoint('first'), await owner.createEndpoint('second')];
    const kept: string[] = [];
    for (const { body, init } of Object.values(ways)) {
      await server.deliver(first, body, init);
      kept.push(await server.deliver(first, JSON.stringify({ email: other })));
    }
    const pinned = await server.deliver(second, JSON.stringify({ note: text }));
    await owner.json(200, 'PUT', `/api/events/${pinned}/pin`, { name: 'keep', note: `of ${text}` });
    const stranger = await server.createAccount('other@example.com');
    const foreign = await stranger.createEndpoint();
    const theirs = await server.deliver(foreign, text);

    const dry = await erase({ dryRun: true });
    expect(dry).toMatchObject({ state: 'done', dryRun: true, events: Object.keys(ways).length + 1 });
    expect((await idsOf(first)).length).toBe(2 * kept.length);

    const done = await erase();
    expect(done).toMatchObject({
      state: 'done',
      dryRun: false,
      events: 9,
      endpoints: [
        { id: first.id, name: 'first', events: 8, pinned: 0 },
        { id: second.id, name: 'second', events: 1, pinned: 1 },
      ],
    });
    expect(await owner.json(200, 'GET', `/api/erasures/${done.id}`)).toEqual(done);
    expect((await idsOf(first)).sort()).toEqual(kept.sort());
    expect(await idsOf(second)).toEqual([]);
    for (const id of kept) {
      const event = await owner.json<{ payload: { email: string } }>(200, 'GET', `/api/events/${id}`);
      expect(JSON.stringify(event)).toContain(other);
    }
    // Nothing of another team is deleted.
    await stranger.json(200, 'GET', `/api/events/${theirs}`);
    expect(await erase()).toMatchObject({ events: 0, endpoints: [] });
    const { entries } = await owner.json<{ entries: { action: string; details: unknown }[] }>(200, 'GET', '/api/audit');
    expect(entries.filter(({ action }) => action === 'erasure.done')).toHaveLength(2);
    expect(JSON.stringify(entries)).not.toContain(text);
  });

  test.skipIf(isRemote)(
    'leaves the text in no file',
    async () => {
      const endpoint = await owner.createEndpoint();
      const events: string[] = [];
      for (const { body, init } of Object.values(ways)) {
        events.push(await server.deliver(endpoint, body, init));
        await server.deliver(endpoint, JSON.stringify({ email: other, [`key of ${other}`]: 1 }));
      }
      // A property's name becomes part of a schema.
      for (let i = 0; i < 3; i++) await server.deliver(endpoint, JSON.stringify({ type: 'kept', by: { [text]: i } }));
      await owner.json(200, 'GET', `/api/endpoints/${endpoint.id}/schemas`);
      await owner.json(200, 'PUT', `/api/events/${events[0]}/pin`, { name: 'pinned', note: text });
      await owner.json(200, 'PUT', `/api/events/${events[1]}/tags`, { tags: ['tagged'] });
      // One was deleted before: parts of it are still on the disk.
      await owner.json(200, 'DELETE', `/api/events/${events[2]}`);
      const { database } = server.services;
      const file = database.file ?? '';
      writeFileSync(`${file}.before-upgrade-from-30`, text);
      mkdirSync(`${file}.capture.of-another-database-1`);
      writeFileSync(`${file}.capture.of-another-database-1/00000001.segment`, text);
      writeFileSync(
        `${file}.capture/refused-7.json`,
        JSON.stringify({ body: Buffer.from(`{"a":"${text}"}`).toString('base64') }),
      );

      expect(scanFiles(server.directory, [text])).not.toEqual([]);
      await erase({ dryRun: true });
      expect(scanFiles(server.directory, [text])).not.toEqual([]);
      await erase();
      expect(describeHits(scanFiles(server.directory, [text]))).toEqual([]);
      expect(scanFiles(server.directory, [other])).not.toEqual([]);
      // The server goes on as before.
      const id = await server.deliver(endpoint, JSON.stringify({ email: other }));
      await owner.json(200, 'GET', `/api/events/${id}`);
      expect((await server.services.database.client.execute('PRAGMA integrity_check')).rows[0]?.[0]).toBe('ok');
    },
    60_000,
  );

  test('finds what redaction wrote in its place', async () => {
    const endpoint = await owner.createEndpoint();
    const { deriveRedactionKey, hashOf } = await import('../../core/redaction/key.ts');
    const [row] = await rowsOf(server, 'SELECT team_id FROM accounts');
    const hash = hashOf(deriveRedactionKey(server.services.secret, String(row?.[0])), text);
    await server.deliver(endpoint, JSON.stringify({ email: hash }));
    expect(await erase()).toMatchObject({ events: 1 });
  });

  test('remembers the GUIDs of erased deliveries for a week', async () => {
    const endpoint = await owner.createEndpoint();
    const [gone, kept] = [crypto.randomUUID(), crypto.randomUUID()];
    const headers = (guid: string) => ({ headers: { 'X-GitHub-Delivery': guid, 'X-GitHub-Event': 'push' } });
    await server.deliver(endpoint, JSON.stringify({ email: text }), headers(gone));
    await server.deliver(endpoint, JSON.stringify({ email: other }), headers(kept));
    await erase();
    const ask = () =>
      owner.json<{ erased: string[] }>(
        200,
        'GET',
        `/api/endpoints/${endpoint.id}/erased-deliveries?guids=${gone},${kept}`,
      );
    expect(await ask()).toEqual({ erased: [gone] });
    expect(JSON.stringify(await rowsOf(server, 'SELECT hex(hash) FROM erased_deliveries'))).not.toContain(gone);
    await server.services.database.client.execute({
      sql: 'UPDATE erased_deliveries SET expires_at = ?',
      args: [Date.now() - 1],
    });
    expect(await ask()).toEqual({ erased: [] });
  });

  test('403 for a member, and for the state of a job', async () => {
    const member = await server.createAccount('member@example.com', { teamOf: owner.email });
    const { id } = await erase({ dryRun: true });
    expect((await member.call('POST', '/api/erasures', { text })).status).toBe(403);
    expect((await member.call('GET', `/api/erasures/${id}`)).status).toBe(403);
    const stranger = await server.createAccount('other@example.com');
    expect((await stranger.call('GET', `/api/erasures/${id}`)).status).toBe(404);
  });

  test.each([['short'], ['        '], ['x'.repeat(201)], [7], [null]])('400 for the text %p', async given => {
    expect((await owner.call('POST', '/api/erasures', { text: given })).status).toBe(400);
  });

  test('409 while another one of the team is not done, but not for another team', async () => {
    const stranger = await server.createAccount('other@example.com');
    const { client } = server.services.database;
    const [row] = await rowsOf(server, `SELECT team_id FROM accounts WHERE email = '${owner.email}'`);
    await client.execute({
      sql: "INSERT INTO erasures (id, team_id, state, dry_run, actor, found, holder, created_at) VALUES ('era_1', ?, 'deleting', 0, x'6E756C6C', x'5B5D', 'another', 0)",
      args: [String(row?.[0])],
    });
    expect((await owner.call('POST', '/api/erasures', { text })).status).toBe(409);
    await erase({}, stranger);
  });
});

describe('after a restart', () => {
  const insertJob = async (state: string): Promise<void> => {
    const [row] = await rowsOf(server, 'SELECT team_id FROM accounts');
    await server.services.database.client.execute({
      sql: "INSERT INTO erasures (id, team_id, state, dry_run, actor, found, holder, created_at) VALUES ('era_1', ?, ?, 0, x'6E756C6C', x'5B5D', 'another', 0)",
      args: [String(row?.[0]), state],
    });
  };
  /** With a shared database, another process takes over a job whose own shows no sign of life for some looks. */
  const startAgain = async (): Promise<void> => {
    const { erasures } = server.services;
    await erasures.start();
    for (let look = 0; isRemote && look < 10; look++) await erasures.watch();
  };

  test('a job that was searching has failed, and one that was deleting goes on', async () => {
    const endpoint = await owner.createEndpoint();
    const events = [await server.deliver(endpoint, text), await server.deliver(endpoint, other)];
    await insertJob('searching');
    await startAgain();
    await server.services.erasures.idle();
    expect(await owner.json(200, 'GET', '/api/erasures/era_1')).toMatchObject({ state: 'failed' });
    for (const id of events) await owner.json(200, 'GET', `/api/events/${id}`);

    await server.services.database.client.execute('DELETE FROM erasures');
    await insertJob('deleting');
    await server.services.database.client.execute(
      'INSERT INTO erasure_targets SELECT erasures.seq, 1, min(events.seq) FROM erasures, events',
    );
    await startAgain();
    await eventually(async () => (await owner.json(200, 'GET', '/api/erasures/era_1'))['state'] === 'done');
    expect(await idsOf(endpoint)).toEqual([events[1] ?? '']);
    if (!isRemote) expect(describeHits(scanFiles(server.directory, [text]))).toEqual([]);
  });
});
