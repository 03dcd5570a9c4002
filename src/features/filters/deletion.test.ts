/* Deleting the events that a filter matches. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Principal } from '../../core/access/principal.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { contentProblems } from '../../db/checks/content-check.ts';
import { rowsOf } from '../../testing/events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createDeletionService } from './deletion.ts';

let server: TestServer;
let ada: TestAccount;
let cleo: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
  cleo = await server.createAccount('cleo@example.com', { teamOf: 'ada@example.com' });
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

type Endpoint = { id: string; url: string };
const remove = (who: TestAccount, { id }: Endpoint, body: object) =>
  who.call('POST', `/api/endpoints/${id}/events/delete`, body);
const idsOf = async (who: TestAccount, { id }: Endpoint): Promise<string[]> =>
  (await who.json<{ events: { id: string }[] }>(200, 'GET', `/api/events?endpointId=${id}&limit=100`)).events.map(
    event => event.id,
  );
/** Newest first. */
async function deliver(endpoint: Endpoint, bodies: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) ids.unshift(await server.deliver(endpoint, body));
  return ids;
}

describe('POST /api/endpoints/{id}/events/delete', () => {
  test('deletes the events that match, with counters and contents, and keeps pinned ones unless it is told otherwise', async () => {
    const endpoint = await ada.createEndpoint();
    const [e = '', d = '', c = '', b = '', a = ''] = await deliver(endpoint, [
      '{"n":1}',
      '{"n":2}',
      '{"n":3}',
      '{"n":4}',
      'x',
    ]);
    await ada.json(200, 'PUT', `/api/events/${c}/pin`, {});
    await ada.json(200, 'PUT', `/api/events/${b}/tags`, { tags: ['mine'] });
    const answer = await remove(ada, endpoint, { where: 'body.n>1' });
    expect([answer.status, await answer.json()]).toEqual([200, { deleted: 2 }]);
    expect(await idsOf(ada, endpoint)).toEqual([e, c, a]);
    expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({ eventCount: 3 });
    expect((await ada.call('GET', `/api/events/${d}`)).status).toBe(404);
    expect(await (await remove(ada, endpoint, { where: 'body.n>1', pinned: true })).json()).toEqual({ deleted: 1 });
    expect(await (await remove(ada, endpoint, { where: 'method:*', pinned: false })).json()).toEqual({ deleted: 2 });
    expect(await idsOf(ada, endpoint)).toEqual([]);
    for (const table of ['tags', 'pins', 'blocks', 'block_signatures'])
      expect(await rowsOf(server, `SELECT count(*) FROM ${table}`)).toMatchObject([[0]]);
    expect(await contentProblems(server.services.database.client)).toEqual([]);
  });

  test('deletes thousands in slices, and nothing of another endpoint', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const owner = await server.services.account.byEmail(ada.email);
    const addresses = await Promise.all([endpoint, other].map(({ id }) => server.services.endpoints.owned(owner, id)));
    const record = (i: number) =>
      server.services.capture.record(addresses[i % 5 === 0 ? 1 : 0] ?? { seq: 0, token: '' }, {
        method: i % 2 ? 'POST' : 'PUT',
        path: '',
        query: null,
        fields: new Uint8Array(0),
        body: Buffer.from(`{"i":${i}}`),
        sourceIp: '127.0.0.1',
        receivedAt: Date.now(),
      });
    for (let first = 0; first < 3000; first += 500)
      await Promise.all(Array.from({ length: 500 }, (_, i) => record(first + i)));
    expect(await (await remove(ada, endpoint, { where: 'method:POST' })).json()).toEqual({ deleted: 1200 });
    expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({ eventCount: 1200 });
    expect(await ada.json(200, 'GET', `/api/endpoints/${other.id}`)).toMatchObject({ eventCount: 600 });
  }, 120_000);

  test.each([
    [{ where: '' }, { position: 0, nearest: null }],
    [{ where: '  ' }, { position: 0, nearest: null }],
    [{ where: 'type:a )' }, { position: 7, nearest: null }],
    [{}, {}],
    [{ where: 'type:a', pinned: 'yes' }, {}],
  ])('400 for %j', async (body, details) => {
    const endpoint = await ada.createEndpoint();
    const ids = await deliver(endpoint, ['a']);
    const answer = await remove(ada, endpoint, body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: expect.any(String), ...details }]);
    expect(await idsOf(ada, endpoint)).toEqual(ids);
  });

  test('403 for a member, 404 for an owner of another team', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = await deliver(endpoint, ['a']);
    expect((await remove(cleo, endpoint, { where: 'method:*' })).status).toBe(403);
    expect((await remove(bob, endpoint, { where: 'method:*' })).status).toBe(404);
    expect(await idsOf(ada, endpoint)).toEqual(ids);
  });
});

describe('a deletion', () => {
  const owner = { accountId: 'acc_1', teamId: 'team_1', plan: 'pro', role: 'owner' } as Principal;
  const found = Array.from({ length: 300 }, (_, i) => ({ seq: 300 - i, receivedAt: 0 }));

  /** Of 300 events on a first page of a search, of which the last is pinned, and none on a second. */
  const open = (onSlice: (count: number) => void = () => {}) => {
    const slices: number[] = [];
    const searched: (Position | undefined)[] = [];
    const service = createDeletionService({
      endpoint: async () => ({ seq: 1, token: '', retentionMs: null }),
      retentionCutoff: () => 0,
      find: async ({ after }) => {
        searched.push(after);
        return { found: after ? [] : found, next: after ? undefined : found.at(-1) };
      },
      remove: async (_, seqs) => {
        slices.push(seqs.length);
        onSlice(slices.length);
        return { removed: seqs.filter(seq => seq > 1).length, writerMs: 0 };
      },
      pauseForCapture: async () => {},
      onDeleted: () => {},
    });
    return { service, slices, searched };
  };

  test('continues the search behind what it found, also when pinned events stay', async () => {
    const { service, slices, searched } = open();
    expect(await service.remove(owner, 'ep_1', { where: 'method:*' })).toBe(299);
    expect(slices.length).toBeGreaterThan(1);
    expect(searched).toEqual([undefined, { seq: 1, receivedAt: 0 }]);
  });

  test('stops after the slice during which its client disconnects', async () => {
    const client = new AbortController();
    const { service, slices, searched } = open(() => client.abort());
    expect(await service.remove(owner, 'ep_1', { where: 'method:*' }, client.signal)).toBe(slices[0] ?? 0);
    expect([slices.length, searched.length]).toEqual([1, 1]);
  });

  test('of a team waits for another one of the team', async () => {
    const { service, slices } = open();
    await Promise.all(Array.from({ length: 3 }, () => service.remove(owner, 'ep_1', { where: 'method:*' })));
    expect(slices.reduce((sum, one) => sum + one)).toBe(900);
  });
});
