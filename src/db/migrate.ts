/*
 * Plain SQL, forward only, one transaction each, together with its version number; an empty database gets all of them in
 * one, which spares the first start some waits for the disk. A database that already holds data is copied first; one that a
 * newer Hooktape wrote is refused untouched.
 */
import type { Client } from '@libsql/client';

export type MigrationReport = { from: number; to: number };

export class SchemaError extends Error {}

/** The schema's version: how many migrations it has seen. */
export const readVersion = async (client: Client): Promise<number> => {
  // Not every libSQL server answers PRAGMA user_version with a name; the position is enough.
  const { rows } = await client.execute('PRAGMA user_version');
  return Number(rows[0]?.[0] ?? 0);
};

const statementsOf = (migration: string): string[] =>
  migration
    .split('--> statement-breakpoint')
    .map(statement => statement.trim())
    .filter(statement => statement !== '');

/**
 * Brings the database to the newest schema.
 * @param beforeUpgrade runs once before the first change to a database that already has a schema (`from` > 0)
 * @throws SchemaError when the database was written by a newer version
 */
export async function migrate(
  client: Client,
  migrations: readonly string[],
  beforeUpgrade: (from: number) => Promise<void>,
): Promise<MigrationReport> {
  const refuseNewer = (version: number): void => {
    if (version > migrations.length)
      throw new SchemaError(
        `the database has schema version ${version}, this Hooktape knows versions up to ${migrations.length}: it was written by a newer Hooktape. Run that one, or restore a backup from before the upgrade.`,
      );
  };
  const from = await readVersion(client);
  refuseNewer(from);
  if (from > 0 && from < migrations.length) await beforeUpgrade(from);
  for (let at = from; at < migrations.length; ) {
    const to = at === 0 ? migrations.length : at + 1;
    const statements = migrations.slice(at, to).flatMap(statementsOf);
    try {
      await client.migrate([...statements, `PRAGMA user_version = ${to}`]);
      at = to;
    } catch (error) {
      // Several processes may start at once on one server: another one has done it, or some of it.
      const reached = await readVersion(client);
      if (reached <= at) throw error;
      refuseNewer(reached);
      at = reached;
    }
  }
  return { from, to: migrations.length };
}
