/*
 * `bun run schema-snapshot`: runs all migrations on an empty database and writes the result to src/db/new-database.sql, which
 * creates the schema of new databases instead of the migrations. A test compares the two.
 */
import { createClient } from '@libsql/client/sqlite3';
import { migrationStatements, statementBreak } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations.ts';

const client = createClient({ url: ':memory:', concurrency: 1 });
await client.migrate(migrationStatements(migrations));
// The search index of 1.0, which only upgraded databases still have for a while.
await client.execute('DROP TABLE events_search');

const { rows: parts } = await client.execute(
  "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'sqlite_sequence' ORDER BY rowid",
);
const { rows: facts } = await client.execute(
  "SELECT format('(%Q, x''%s'')', name, hex(value)) AS fact FROM meta WHERE name <> 'database-id' ORDER BY name",
);
const statements = [
  ...parts.map(({ sql }) => String(sql)),
  `INSERT INTO meta (name, value) VALUES ('database-id', randomblob(16)), ${facts.map(({ fact }) => fact).join(', ')}`,
  `PRAGMA user_version = ${migrations.length}`,
];
const header = '-- Generated from the migrations by `bun run schema-snapshot`; do not edit.\n';
await Bun.write(
  new URL('../src/db/new-database.sql', import.meta.url),
  `${header}${statements.map(statement => `${statement.trim()};\n`).join(`${statementBreak}\n`)}`,
);
