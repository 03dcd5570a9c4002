import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import * as schema from './schema.ts';
import * as oauthSchema from './schema-oauth.ts';
import * as queuesSchema from './schema-queues.ts';

let client: Client;
beforeAll(async () => {
  client = createClient({ url: ':memory:', concurrency: 1 });
  await migrate(client, migrations, async () => {});
});
afterAll(() => client.close());

const tables = [...Object.values(schema), ...Object.values(oauthSchema), ...Object.values(queuesSchema)].filter(one =>
  is(one, SQLiteTable),
);

test.each(tables.map(table => [getTableConfig(table).name, table] as const))(
  'the Drizzle table %s matches the migrations',
  async (name, table) => {
    const { rows } = await client.execute(`PRAGMA table_info(${name})`);
    const real = rows.map(row => ({
      name: row['name'],
      type: row['type'],
      required: row['notnull'] === 1 || row['pk'] !== 0,
    }));
    const seen = getTableConfig(table).columns.map(column => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      required: column.notNull || column.primary,
    }));
    const byName = (a: { name: unknown }, b: { name: unknown }) => String(a.name).localeCompare(String(b.name));
    expect(seen.sort(byName)).toEqual(real.sort(byName) as typeof seen);
  },
);

test('captured text is stored in BLOB columns', async () => {
  const { rows } = await client.execute('PRAGMA table_info(events)');
  const blobs = rows.filter(row => row['type'] === 'BLOB').map(row => row['name']);
  expect(blobs).toEqual(expect.arrayContaining(['path', 'query', 'preview', 'content']));
});
