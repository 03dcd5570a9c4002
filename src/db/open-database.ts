/* Opens the database that the configuration names: an embedded file or a libSQL server over the network. */
import { drizzle } from 'drizzle-orm/libsql';
import type { Database, DatabaseEvents, DatabaseOptions, Drizzle } from './database.ts';
import { createEmbedded } from './embedded-database.ts';
import { fromFileUrl } from './files/file-url.ts';
import { migrate, migrationStatements, statementsOf, upgradeIn } from './migrate.ts';
import { migrations as allMigrations } from './migrations.ts';
import newDatabase from './new-database.sql' with { type: 'text' };
import { createServerClient, type ServerClient } from './server-client.ts';

export function createDatabase({
  migrations: given,
  serverLimits,
  tracksChanges = false,
  ...options
}: DatabaseOptions): Database {
  const file = fromFileUrl(options.url);
  const migrations = given ?? allMigrations;
  if (file === undefined)
    return createServerDatabase(createServerClient({ ...options, limits: serverLimits }), migrations);
  return createEmbedded(file, {
    ...options,
    tracksChanges,
    migrations,
    schema: given ? migrationStatements(given) : statementsOf(newDatabase),
  });
}

/** Opened while the rest of the program is loaded. `open` awaits that; `connect` must come before it. */
export type DatabaseBeingOpened = { database: Database; connect: (events: DatabaseEvents) => void };

export function openDatabaseEarly(options: Omit<DatabaseOptions, keyof DatabaseEvents>): DatabaseBeingOpened {
  let events: DatabaseEvents | undefined;
  let failure: Error | undefined;
  const database = createDatabase({
    ...options,
    onBusy: () => events?.onBusy(),
    onThreadFailure: error => {
      failure ??= error;
      events?.onThreadFailure(error);
    },
    onWriteStall: problem => events?.onWriteStall?.(problem),
  });
  const opening = database.open();
  // `open` reports its error.
  opening.catch(() => {});
  return {
    database: { ...database, open: () => opening },
    connect: given => {
      events = given;
      if (failure) given.onThreadFailure(failure);
    },
  };
}

function createServerDatabase(server: ServerClient, migrations: readonly string[]): Database {
  const { client } = server;
  const db = drizzle(client) as Drizzle;
  return {
    open: async () => upgradeIn(await migrate(client, migrations, async () => {})),
    ...server,
    db,
    scanClient: client,
    scanDb: db,
    runWriterJob: undefined,
    timedBatch: async statements => ({ results: await client.batch(statements, 'write'), writerMs: undefined }),
    withReader: use => use(client),
    maintenance: undefined,
    changedPages: undefined,
    file: undefined,
    busyIncidents: () => 0,
    close: async () => client.close(),
  };
}
