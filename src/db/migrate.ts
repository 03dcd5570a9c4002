/*
 * Forward-only migrations in plain SQL. Each runs in one transaction together with its version number; an empty database
 * gets all of them in one transaction, which makes the first start faster; a new file gets new-database.sql instead, which
 * is faster still. A database with data is copied first. A database that a newer Hooktape wrote is refused and not changed.
 */
import type { Client } from '@libsql/client';
import { ExpectedError } from '../core/errors.ts';
import type { Upgrade } from './database.ts';

type MigrationReport = { from: number; to: number };

/** undefined for a new database, and if there was nothing to do. */
export const upgradeIn = ({ from, to }: MigrationReport, copy?: string): Upgrade | undefined =>
  from > 0 && from < to ? { fromSchema: from, toSchema: to, copy } : undefined;

export class SchemaError extends ExpectedError {}

export const readVersion = async (client: Client): Promise<number> => {
  // By position, because not every libSQL server names the column.
  const { rows } = await client.execute('PRAGMA user_version');
  return Number(rows[0]?.[0] ?? 0);
};

export const statementBreak = '--> statement-breakpoint';

export const statementsOf = (migration: string): string[] =>
  migration
    .split(statementBreak)
    .map(statement => statement.trim())
    .filter(statement => statement !== '');

/** The statements of an upgrade, for one transaction; by default, all statements for an empty database. */
export const migrationStatements = (migrations: readonly string[], from = 0, to = migrations.length): string[] => [
  ...migrations.slice(from, to).flatMap(statementsOf),
  `PRAGMA user_version = ${to}`,
];

/** @param beforeUpgrade runs before the first change to a database with a schema @throws SchemaError for one of a newer version */
export async function migrate(
  client: Client,
  migrations: readonly string[],
  beforeUpgrade: (from: number) => Promise<void>,
): Promise<MigrationReport> {
  const refuseNewer = (version: number): void => {
    if (version > migrations.length)
      throw new SchemaError(
        `the database has schema version ${version}, but this Hooktape supports versions up to ${migrations.length}: it was written by a newer Hooktape. Run that version, or restore a backup from before the upgrade.`,
      );
  };
  const from = await readVersion(client);
  refuseNewer(from);
  if (from > 0 && from < migrations.length) await beforeUpgrade(from);
  for (let version = from; version < migrations.length; ) {
    const next = version === 0 ? migrations.length : version + 1;
    try {
      await client.migrate(migrationStatements(migrations, version, next));
      version = next;
    } catch (error) {
      // Several processes may start at once on one server: another process may have run this migration, or later ones.
      const current = await readVersion(client);
      if (current <= version) throw error;
      refuseNewer(current);
      version = current;
    }
  }
  return { from, to: migrations.length };
}
