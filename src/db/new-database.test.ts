/* A new file gets new-database.sql instead of the migrations: both must make the same database. */
import { expect, test } from 'bun:test';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { migrate, migrationStatements, statementsOf } from './migrate.ts';
import { migrations } from './migrations.ts';
import newDatabase from './new-database.sql' with { type: 'text' };

async function open(statements: string[]): Promise<Client> {
  const client = createClient({ url: ':memory:', concurrency: 1 });
  await client.migrate(statements);
  return client;
}

/** Everything in a database. The id is random, and text after a statement counts for nothing. */
async function contentsOf(client: Client) {
  const read = async (sql: string) => (await client.execute(sql)).rows.map(row => ({ ...row }));
  const parts = await read('SELECT type, name, tbl_name, trim(sql) AS sql FROM sqlite_master ORDER BY type, name');
  const rows: Record<string, unknown[]> = {};
  for (const { type, name } of parts)
    if (type === 'table' && name !== 'meta') rows[String(name)] = await read(`SELECT * FROM ${name}`);
  return {
    parts,
    rows,
    meta: await read("SELECT name, hex(value) FROM meta WHERE name <> 'database-id' ORDER BY name"),
    id: await read("SELECT typeof(value) AS type, length(value) AS length FROM meta WHERE name = 'database-id'"),
    version: await read('PRAGMA user_version'),
  };
}

test('new-database.sql makes the database of all migrations (bun run schema-snapshot)', async () => {
  const migrated = await open(migrationStatements(migrations));
  // The search index of 1.0 goes in the background.
  await migrated.execute('DROP TABLE events_search');
  const fresh = await open(statementsOf(newDatabase));
  const contents = await contentsOf(fresh);
  expect(contents).toEqual(await contentsOf(migrated));
  expect(contents.parts.length).toBeGreaterThan(90);
  const neverCopied = async (): Promise<void> => {
    throw new Error('no copy was expected');
  };
  expect(await migrate(fresh, migrations, neverCopied)).toEqual({ from: migrations.length, to: migrations.length });
});
