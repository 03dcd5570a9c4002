import { afterEach, beforeEach, expect, test } from 'bun:test';
import { recordMany } from '../../testing/events.ts';
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

test('small and large events are all checked', async () => {
  expect(await problems()).toEqual([]);
  // The last byte of each content belongs to the body: these bodies are stored uncompressed.
  const otherByte = "CASE substr(content, -1) WHEN x'00' THEN x'01' ELSE x'00' END";
  await damage(
    `UPDATE events SET content = CAST(substr(content, 1, length(content) - 1) || ${otherByte} AS BLOB) WHERE seq IN (1, 129, 300, 301, 303)`,
  );
  const found = [0, 128, 299, 300, 302].map(at => `event ${ids[at]}: its body is not the one that came`);
  expect(await problems()).toEqual(found);
});

test('a truncated body and unreadable content are reported', async () => {
  await damage('UPDATE events SET content = substr(content, 1, length(content) - 1) WHERE seq = 1');
  await damage("UPDATE events SET content = x'7fffffff' WHERE seq = 2");
  expect(await problems()).toEqual([
    `event ${ids[0]}: its body is not the one that came`,
    `event ${ids[1]}: its headers and body cannot be read`,
  ]);
});

test('a wrong size is reported', async () => {
  await damage('UPDATE events SET size = size + 1 WHERE seq = 2');
  expect(await problems()).toEqual([`event ${ids[1]}: its size is not the one that was received`]);
});

test('large events are read one at a time', async () => {
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
  expect([found.length, found[0], found.at(-1)]).toEqual([
    101,
    `event ${ids[150]}: its body is not the one that came`,
    'and 53 more',
  ]);
});
