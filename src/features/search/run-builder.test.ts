/* Runs of signatures: searches find the same events before, while and after a run replaces signatures. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createRunBuilder } from './run-builder.ts';
import { createRunsStore } from './runs-store.ts';

const runLength = 6;
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ searchLimits: { runLength } });
  // The tests take the steps.
  await server.services.background.stop();
  ada = await server.createAccount();
});
afterAll(() => server.close());

const hex = (text: string): string => createHash('sha256').update(text).digest('hex');
/** A body that fills most of a block. */
const bodyOf = (name: string): string =>
  JSON.stringify({ name, text: Array.from({ length: 600 }, (_, i) => `${name} ${hex(`${name}${i}`)}`) });

const count = async (sql: string): Promise<number> =>
  Number((await server.services.database.client.execute(sql)).rows[0]?.[0]);
const signatures = () => count('SELECT count(*) FROM block_signatures');
const states = async (): Promise<number[]> =>
  (await server.services.database.client.execute('SELECT state FROM signature_runs ORDER BY seq')).rows.map(row =>
    Number(row[0]),
  );

const makeBuilder = (sign: (blocks: readonly number[]) => Promise<number[]> = async () => []) => {
  const { client, scanClient } = server.services.database;
  const builder = createRunBuilder({ store: createRunsStore(client, scanClient), sign, monotonic: () => 0, runLength });
  return builder;
};

/** The events of all pages: on a busy machine, a page may end before anything was found. */
async function search(endpointId: string, q: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ endpointId, q, ...(cursor !== null && { cursor }) });
    const page: { events: { id: string }[]; nextCursor: string | null } = await ada.json(
      200,
      'GET',
      `/api/events?${query}`,
    );
    found.push(...page.events.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

describe('a run of signatures', () => {
  test('replaces the signatures of its blocks without a search missing an event, and survives a crash after each step', async () => {
    const endpoint = await ada.createEndpoint();
    const names = Array.from({ length: 8 }, (_, i) => `name${i}`);
    const ids: string[] = [];
    for (const name of names) {
      ids.push(await server.deliver(endpoint, bodyOf(name)));
      // The next event gets its own block.
      await signatures();
    }
    const steps: number[] = [];
    while (steps.at(-1) !== 2) {
      // A new builder, as after a crash. It checks finished runs first.
      const builder = makeBuilder();
      await builder.step();
      await builder.step();
      steps.push((await states()).at(-1) ?? -1);
      for (const [i, name] of names.entries()) expect(await search(endpoint.id, `${name} `)).toEqual([ids[i] ?? '']);
      expect(await search(endpoint.id, hex('name33'))).toEqual([ids[3] ?? '']);
      expect(await search(endpoint.id, hex('absent'))).toEqual([]);
    }
    expect(new Set(steps)).toEqual(new Set([0, 1, 2]));
    // Six are in the run; two blocks are too few for another.
    expect([await states(), await signatures()]).toEqual([[2], 2]);
    expect(await server.services.search.checkIndex()).toEqual([]);
  });

  test('is checked: a slice that lost its bits is reported, and a rebuild repairs it', async () => {
    const { database, search: service } = server.services;
    await database.client.execute('UPDATE signature_slices SET slices = zeroblob(length(slices))');
    expect((await service.checkIndex())[0]).toMatch(/^the search index has the wrong text of 6 of 8 blocks looked up$/);
  });
});
