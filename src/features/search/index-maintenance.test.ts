import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { damageEvent } from '../../testing/stored-events.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createIndexer } from './indexer.ts';
import { createSearchStore } from './store.ts';

const directories: string[] = [];
const newDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  directories.push(directory);
  return directory;
};

async function fill(server: TestServer, count: number): Promise<{ id: string; key: string }> {
  const owner = await server.createAccount();
  const endpoint = await owner.createEndpoint();
  const { rows } = await server.services.database.client.execute('SELECT max(seq) FROM endpoints');
  const seq = Number(rows[0]?.[0]);
  await Promise.all(
    Array.from({ length: count }, (_, i) =>
      server.services.capture.record(
        { seq, token: '' },
        {
          method: 'POST',
          path: '',
          query: null,
          fields: new Uint8Array(0),
          body: new TextEncoder().encode(`{"number":${i},"text":"word${i} ${'lorem ipsum '.repeat(i % 9)}"}`),
          sourceIp: '127.0.0.1',
          receivedAt: 1_790_000_000_000 + i,
        },
      ),
    ),
  );
  return { id: endpoint.id, key: owner.key };
}

const progress = async (server: TestServer): Promise<{ watermark: number; last: number }> =>
  createSearchStore(server.services.database.client, server.services.database.scanClient).progress();

const find = async (server: TestServer, { id, key }: { id: string; key: string }, q: string): Promise<number> => {
  const response = await server.fetch(`/api/events?${new URLSearchParams({ endpointId: id, q, limit: '100' })}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { events: unknown[] }).events.length;
};

describe('the search index', () => {
  test('is completed after a restart, and searches are exact meanwhile', async () => {
    const directory = newDirectory();
    const first = await openTestServer({ directory });
    const where = await fill(first, 400);
    await first.services.background.stop();
    const cut = await progress(first);
    expect(cut.watermark).toBeLessThan(cut.last);
    expect(await find(first, where, 'word399')).toBe(1);
    await first.close();

    const second = await openTestServer({ directory });
    // The signatures of unindexed events were lost with the first process.
    expect(await find(second, where, 'word399')).toBe(1);
    expect(await find(second, where, 'word7 ')).toBe(1);
    await second.services.background.idle();
    const done = await progress(second);
    expect(done.watermark).toBe(done.last);
    expect(await second.services.search.checkIndex()).toEqual([]);
    expect(await find(second, where, 'word399')).toBe(1);
    await second.close();
    rmSync(directory, { recursive: true });
  });

  test('has neither gaps nor duplicates after a crash between two slices', async () => {
    const server = await openTestServer({ env: {} });
    await server.services.background.stop();
    const where = await fill(server, 200);
    const store = createSearchStore(server.services.database.client, server.services.database.scanClient);
    const make = () => createIndexer({ store, monotonic: () => 0, isBusy: () => false, onIndexed: () => {} });
    // Each indexer runs a slice or two and is then dropped with its prepared entries.
    for (let i = 0; i < 100 && (await progress(server)).watermark < 200; i++) {
      const indexer = make();
      await indexer.slice();
      if (i % 2 === 0) await indexer.slice();
    }
    expect((await progress(server)).watermark).toBe((await progress(server)).last);
    expect(await server.services.search.checkIndex()).toEqual([]);
    expect(await find(server, where, 'word1 ')).toBe(1);
    await server.close();
  });

  test('can be written by two indexers at once', async () => {
    const server = await openTestServer();
    await server.services.background.stop();
    await fill(server, 300);
    const store = createSearchStore(server.services.database.client, server.services.database.scanClient);
    const make = () => createIndexer({ store, monotonic: () => 0, isBusy: () => false, onIndexed: () => {} });
    const run = async (indexer: ReturnType<typeof make>) => {
      while ((await indexer.slice()) === 'more');
    };
    await Promise.all([run(make()), run(make())]);
    expect(await progress(server)).toEqual({ watermark: 300, last: 300 });
    expect(await server.services.search.checkIndex()).toEqual([]);
    await server.close();
  });

  test('is checked for missing, surplus and wrong entries, which a rebuild repairs', async () => {
    const server = await openTestServer();
    const where = await fill(server, 50);
    await server.services.background.idle();
    const { client } = server.services.database;
    await client.execute('DELETE FROM events_search WHERE rowid = 7');
    await client.execute("INSERT INTO events_search (rowid, trigrams) VALUES (5000, 'nobody')");
    await client.execute("INSERT OR REPLACE INTO events_search (rowid, trigrams) VALUES (9, 'somebody else')");
    expect(await server.services.search.checkIndex()).toEqual([
      'the search index lacks 1 event',
      'the search index has 1 entry without an event',
      'the search index has the wrong text of 2 of 50 events looked up',
    ]);
    const seen: number[] = [];
    await server.services.search.reindex((done, total) => seen.push(done / total));
    expect(seen.at(-1)).toBe(1);
    expect(await server.services.search.checkIndex()).toEqual([]);
    expect(await find(server, where, 'word6 ')).toBe(1);
    await server.close();
  });

  test('a damaged event does not affect other events', async () => {
    const server = await openTestServer();
    const where = await fill(server, 50);
    await damageEvent(server.services.database.client, 9, 'unreadable');
    expect(await find(server, where, 'word6 ')).toBe(1);
    await server.services.background.idle();
    expect(await server.services.search.checkIndex()).toEqual([]);
    expect(await find(server, where, 'word6 ')).toBe(1);
    expect(await find(server, where, 'word8 ')).toBe(0);
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await server.close();
  });

  test('has no entry of a deleted event', async () => {
    const server = await openTestServer();
    await fill(server, 60);
    await server.services.background.idle();
    await server.services.database.client.execute('DELETE FROM events');
    expect(await server.services.search.checkIndex()).toEqual([]);
    const { rows } = await server.services.database.client.execute('SELECT count(*) FROM events_search_docsize');
    expect(Number(rows[0]?.[0])).toBe(0);
    await server.close();
  });
});
