/* The search index is checked, rebuilt, and kept in order in the background. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { signBlock } from '../../core/blocks/block-signature.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { createTestPacker, markRowsToPack } from '../../testing/packing.ts';
import { damageEvent, storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpointId: string;
const seqs: number[] = [];
beforeEach(async () => {
  server = await openTestServer({ searchLimits: { runLength: 4 } });
  ada = await server.createAccount();
  const endpoint = await ada.createEndpoint();
  endpointId = endpoint.id;
  seqs.length = 0;
  for (let i = 0; i < 10; i++) {
    const id = await server.deliver(endpoint, `{"number":${i},"text":"word${i} ${'lorem ipsum '.repeat(i * 400)}"}`);
    seqs.push(parseEventId(id)?.seq ?? 0);
    await filed();
  }
  await server.services.background.idle();
});
afterEach(() => server.close());

const execute = (sql: string) => server.services.database.client.execute(sql);
const count = async (sql: string): Promise<number> => Number((await execute(sql)).rows[0]?.[0]);
/** Waits until all events are filed, so that later events are stored in other blocks. */
const filed = () => count('SELECT count(*) FROM events');
const found = async (q: string): Promise<number> => {
  const query = new URLSearchParams({ endpointId, q });
  return (await ada.json<{ events: unknown[] }>(200, 'GET', `/api/events?${query}`)).events.length;
};
const runs = () => count('SELECT count(*) FROM signature_runs WHERE state = 2');

describe('the search index', () => {
  test('reports missing and surplus signatures and missing texts, and a rebuild repairs them', async () => {
    const { search, background } = server.services;
    expect(await search.checkIndex()).toEqual([]);
    await execute('DELETE FROM block_signatures WHERE block = 1');
    await execute('UPDATE block_signatures SET filter = zeroblob(32) WHERE block = 2');
    await execute(
      "INSERT INTO block_signatures (block, endpoint, newest, oldest, last_event, bytes, filter) VALUES (5000, 1, 1, 1, 1, 1, x'')",
    );
    expect(await search.checkIndex()).toEqual([
      'the search index lacks 1 block',
      'the search index has 1 signature without a block',
      'the search index has the wrong text of 1 of 9 blocks looked up',
    ]);
    const seen: number[] = [];
    await search.reindex((done, total) => seen.push(done / total));
    expect(seen.at(-1)).toBe(1);
    await background.idle();
    expect(await search.checkIndex()).toEqual([]);
    for (let i = 0; i < 10; i++) expect(await found(`word${i} `)).toBe(1);
  });

  test('puts full blocks into runs, and a rebuild replaces these', async () => {
    // Blocks of events 7 to 9 are larger than 32 KiB: too few for a run.
    expect(await runs()).toBe(0);
    for (let i = 10; i < 12; i++) {
      await server.deliver({ url: await urlOf() }, `word${i} ${'dolor sit '.repeat(4000)}`);
      await filed();
    }
    server.services.search.wake();
    await server.services.background.idle();
    expect(await runs()).toBe(1);
    const before = await count('SELECT max(seq) FROM signature_runs');
    await server.services.search.reindex();
    await server.services.background.idle();
    expect([await runs(), await count('SELECT max(seq) FROM signature_runs')]).toEqual([1, before + 1]);
    expect(await count('SELECT count(DISTINCT seq / 1024) FROM signature_slices')).toBe(1);
    expect(await server.services.search.checkIndex()).toEqual([]);
    for (const i of [1, 8, 9, 11]) expect(await found(`word${i} `)).toBe(1);
  });

  const urlOf = async (): Promise<string> =>
    (await ada.json<{ url: string }>(200, 'GET', `/api/endpoints/${endpointId}`)).url;

  test('drops signatures with their blocks, and a run when nearly all of its blocks are deleted', async () => {
    for (let i = 10; i < 12; i++) {
      await server.deliver({ url: await urlOf() }, `word${i} ${'dolor sit '.repeat(4000)}`);
      await filed();
    }
    server.services.search.wake();
    await server.services.background.idle();
    await execute('DELETE FROM events WHERE block <> 10');
    await execute('DELETE FROM blocks WHERE seq <> 10');
    expect(await count('SELECT count(*) FROM block_signatures WHERE block <> 10')).toBe(0);
    expect([await found('word9 '), await found('word8 ')]).toEqual([1, 0]);
    // One of four is left: a run is kept until fewer than an eighth are.
    server.services.search.wakeForMaintenance();
    await server.services.background.idle();
    expect(await runs()).toBe(1);
    await execute('DELETE FROM blocks');
    server.services.search.wakeForMaintenance();
    await server.services.background.idle();
    expect(await count('SELECT count(*) + (SELECT count(*) FROM signature_slices) FROM signature_runs')).toBe(0);
  });

  test('adds the values of blocks that an earlier version signed, in runs and outside, and searches miss nothing meanwhile', async () => {
    for (let i = 10; i < 12; i++) {
      await server.deliver({ url: await urlOf() }, `{"number":${i},"text":"word${i} ${'dolor sit '.repeat(4000)}"}`);
      await filed();
    }
    server.services.search.wake();
    await server.services.background.idle();
    // As after an upgrade: no filter has values, and the run has no parts of them.
    await execute("UPDATE block_signatures SET value_filter = x''");
    await execute(
      `DELETE FROM signature_slices WHERE seq % 2048 >= (SELECT (filter_bytes + 48) / 4 FROM signature_runs)`,
    );
    await execute('UPDATE signature_runs SET value_bytes = 0');
    const [before] = (await execute('SELECT seq, value_bytes FROM signature_runs WHERE state = 2')).rows;
    expect(await server.services.search.checkIndex()).toEqual([]);
    for (const i of [1, 6, 9, 11]) expect(await found(`word${i} `)).toBe(1);
    await damageEvent(server.services.database.client, seqs[8] ?? 0, 'unreadable');
    server.services.search.wakeForMaintenance();
    await server.services.background.idle();
    const [after] = (await execute('SELECT seq, value_bytes FROM signature_runs WHERE state = 2')).rows;
    expect([Number(before?.['value_bytes']), Number(after?.['value_bytes'])]).toEqual([0, 4]);
    expect(Number(after?.['seq'])).toBeGreaterThan(Number(before?.['seq']));
    expect(await count('SELECT count(*) FROM block_signatures WHERE length(value_filter) = 0')).toBe(0);
    expect(await server.services.search.checkIndex()).toEqual([]);
    for (const i of [1, 6, 9, 11]) expect(await found(`word${i} `)).toBe(1);
  });

  test('a damaged event does not affect other events', async () => {
    await damageEvent(server.services.database.client, seqs[8] ?? 0, 'unreadable');
    expect([await found('word6 '), await found('word8 ')]).toEqual([1, 0]);
    await server.services.search.reindex();
    expect(await server.services.search.checkIndex()).toEqual([]);
    expect([await found('word6 '), await found('word8 ')]).toEqual([1, 0]);
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('counts rows of 1.0 without a signature until they are packed, and searches them', async () => {
    const { search, database, background, packing } = server.services;
    expect(await search.lag()).toBe(0);
    await storeAsRows(database.client, seqs.slice(0, 5));
    await markRowsToPack(server);
    // All row numbers from the first row of 1.0 to the newest event.
    expect(await search.lag()).toBe(10);
    expect([await found('word4 '), await found('word6 ')]).toEqual([1, 1]);
    packing.wake();
    await background.idle();
    // The packer of this server started before these rows existed.
    await createTestPacker(server, undefined, signBlock).run();
    expect(await search.lag()).toBe(0);
    expect(await search.checkIndex()).toEqual([]);
    expect([await found('word3 '), await found('word6 '), await found('word3 lorem ipsum dolor')]).toEqual([1, 1, 0]);
  });
});
