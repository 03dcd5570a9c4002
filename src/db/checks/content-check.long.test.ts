import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { recordMany } from '../../testing/events.ts';
import { damageEvent, storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { contentProblems } from './content-check.ts';

let server: TestServer;
let ids: string[];
beforeEach(async () => {
  server = await openTestServer();
  const { id } = await (await server.createAccount()).createEndpoint();
  const small = await recordMany(server, id, 300, { receivedAt: 1 });
  const large = await recordMany(server, id, 3, { receivedAt: 1, bodyBytes: 600_000 });
  ids = [...small, ...large];
});
afterEach(() => server.close());

const problems = (): Promise<string[]> => contentProblems(server.services.database.client);
const damage = (sql: string) => server.services.database.client.execute(sql);
const blockDiffers = (...seqs: number[]) =>
  seqs.map(seq => `event ${ids[seq - 1]}: the stored block does not match its checksum`);
const bodyDiffers = (...seqs: number[]) =>
  seqs.map(seq => `event ${ids[seq - 1]}: the stored body does not match its checksum`);

describe('events in blocks', () => {
  test('small and large ones are all checked', async () => {
    expect(await problems()).toEqual([]);
    const { client } = server.services.database;
    for (const seq of [1, 129, 300, 301, 303]) await damageEvent(client, seq, 'another body');
    await damageEvent(client, 2, 'unreadable');
    expect(await problems()).toEqual([
      ...blockDiffers(1),
      `event ${ids[1]}: its headers and body cannot be read`,
      ...blockDiffers(129, 300, 301, 303),
    ]);
  });

  test('a wrong size, a place that is not theirs, and a missing block are reported', async () => {
    await damage('UPDATE events SET size = size + 1 WHERE seq = 2');
    await damage('UPDATE events SET block_start = (SELECT block_start FROM events WHERE seq = 3) WHERE seq = 4');
    await damage('DELETE FROM blocks WHERE seq = (SELECT block FROM events WHERE seq = 303)');
    expect(await problems()).toEqual([
      `event ${ids[1]}: the stored body does not have the recorded size`,
      `event ${ids[3]}: the stored block has another event at this place`,
      `event ${ids[302]}: the block that contains it is missing`,
    ]);
  });

  test('a block with a wrong count, and one that no event uses, are reported after them', async () => {
    const { client } = server.services.database;
    const { rows } = await client.execute('SELECT seq, events FROM blocks ORDER BY seq LIMIT 2');
    const [first, second] = rows.map(row => ({ seq: Number(row[0]), events: Number(row[1]) }));
    await damage(`UPDATE blocks SET events = 1 WHERE seq = ${first?.seq}`);
    await damage(`DELETE FROM events WHERE block = ${second?.seq}`);
    await damageEvent(client, 303, 'unreadable');
    expect(await problems()).toEqual([
      `event ${ids[302]}: its headers and body cannot be read`,
      `block ${first?.seq} records 1 events but has ${first?.events}`,
      `block ${second?.seq} records ${second?.events} events but has 0`,
    ]);
  });

  test('large ones are read one at a time', async () => {
    const { client } = server.services.database;
    const read: number[] = [];
    const watched = {
      batch: client.batch.bind(client),
      execute: async (statement: { sql: string; args: number[] }) => {
        const result = await client.execute(statement);
        if (/content FROM blocks/.test(statement.sql)) read.push(result.rows.length);
        return result;
      },
    };
    expect(await contentProblems(watched as unknown as typeof client)).toEqual([]);
    expect(Math.max(...read)).toBe(1);
  });

  test('of very many a hundred are named', async () => {
    await damage('UPDATE blocks SET checksum = zeroblob(8)');
    const found = await problems();
    expect([found.length, found[0], found.at(-1)]).toEqual([101, ...blockDiffers(1), 'and 203 more']);
  });
});

describe('rows of 1.0', () => {
  beforeEach(() =>
    storeAsRows(
      server.services.database.client,
      ids.map((_, i) => i + 1),
    ),
  );

  test('small and large ones are all checked', async () => {
    expect(await problems()).toEqual([]);
    // The last byte of each content belongs to the body: these bodies are stored uncompressed.
    const otherByte = "CASE substr(content, -1) WHEN x'00' THEN x'01' ELSE x'00' END";
    await damage(
      `UPDATE events SET content = CAST(substr(content, 1, length(content) - 1) || ${otherByte} AS BLOB) WHERE seq IN (1, 129, 300, 301, 303)`,
    );
    expect(await problems()).toEqual(bodyDiffers(1, 129, 300, 301, 303));
  });

  test('a truncated body and unreadable content are reported', async () => {
    await damage('UPDATE events SET content = substr(content, 1, length(content) - 1) WHERE seq = 1');
    await damage("UPDATE events SET content = x'7fffffff' WHERE seq = 2");
    expect(await problems()).toEqual([...bodyDiffers(1), `event ${ids[1]}: its headers and body cannot be read`]);
  });

  test('a wrong size is reported', async () => {
    await damage('UPDATE events SET size = size + 1 WHERE seq = 2');
    expect(await problems()).toEqual([`event ${ids[1]}: the stored body does not have the recorded size`]);
  });

  test('large ones are read one at a time', async () => {
    const { client } = server.services.database;
    const read: number[] = [];
    const watched = {
      execute: async (statement: { sql: string; args: number[] }) => {
        const result = await client.execute(statement);
        if (/sha256/.test(statement.sql)) read.push(result.rows.length);
        return result;
      },
    };
    expect(await contentProblems(watched as unknown as typeof client)).toEqual([]);
    expect([read.reduce((a, b) => a + b), read.slice(-3)]).toEqual([303, [1, 1, 1]]);
  });

  test('of very many a hundred are named', async () => {
    await damage('UPDATE events SET sha256 = zeroblob(32) WHERE seq > 150');
    const found = await problems();
    expect([found.length, found[0], found.at(-1)]).toEqual([101, ...bodyDiffers(151), 'and 53 more']);
  });
});
