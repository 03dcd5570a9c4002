/*
 * The database that the configuration names: an embedded file (embedded-database.ts) or a libSQL server over the
 * network. Both give the same interface.
 */
import type { Client, InStatement, ResultSet } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { createEmbedded } from './embedded-database.ts';
import { fromFileUrl } from './files/file-url.ts';
import type { Maintenance } from './maintenance.ts';
import { migrate } from './migrate.ts';
import { migrations as allMigrations } from './migrations.ts';
import { createServerClient } from './server-client.ts';
import type { SpawnThread } from './threads/prespawned-threads.ts';

export type Drizzle = LibSQLDatabase<Record<string, never>> & { $client: Client };

export type Database = {
  /** Opens and migrates; nothing else works before. @throws SchemaError, or the database's own error when it cannot be opened */
  open: () => Promise<void>;
  /** For short statements: they never wait behind a long scan. */
  client: Client;
  db: Drizzle;
  /** For reads of any length (search, export, backup): an embedded database has a thread for them. */
  scanClient: Client;
  scanDb: Drizzle;
  /** Runs the writer thread's job (threads/thread-server.ts); undefined for a server, which has no thread here. */
  runWriterJob: ((input: unknown, transfer: ArrayBuffer[]) => Promise<unknown>) | undefined;
  /** A write batch of background work. `writerMs`: how long the writer worked on it; unknown for a server. */
  timedBatch: (statements: InStatement[]) => Promise<{ results: ResultSet[]; writerMs: number | undefined }>;
  /** Runs work of minutes (checks); in an embedded database with a reader thread of its own. */
  withReader: <T>(use: (client: Client) => Promise<T>) => Promise<T>;
  /** Undefined for a server, which maintains its own files. */
  maintenance: Maintenance | undefined;
  /** Path of the embedded file; undefined for a server. */
  file: string | undefined;
  /** Requests to the writer that have not been answered yet. */
  writeQueueDepth: () => number;
  /** How often SQLITE_BUSY happened; each is an incident (threads/thread-connection.ts). */
  busyIncidents: () => number;
  close: () => Promise<void>;
};

/** What the database reports on its own. */
export type DatabaseEvents = {
  onBusy: () => void;
  /** A database thread died: the database answers no more. */
  onThreadFailure: (error: Error) => void;
};

export type DatabaseOptions = DatabaseEvents & {
  url: string;
  authToken: string | undefined;
  spawn: SpawnThread;
  /** For tests: another list than the released migrations. */
  migrations?: readonly string[];
};

export function createDatabase({ migrations = allMigrations, ...options }: DatabaseOptions): Database {
  const file = fromFileUrl(options.url);
  return file === undefined
    ? createServerDatabase({ ...options, migrations })
    : createEmbedded(file, { ...options, migrations });
}

/**
 * A database that is being opened while the rest of the program is loaded. `open` awaits that; `connect` must come before it.
 */
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
  });
  const opening = database.open();
  // Its error is that of `open`.
  opening.catch(() => {});
  return {
    database: { ...database, open: () => opening },
    connect: given => {
      events = given;
      if (failure) given.onThreadFailure(failure);
    },
  };
}

function createServerDatabase({ url, authToken, migrations }: Required<DatabaseOptions>): Database {
  const client = createServerClient(url, authToken);
  const db = drizzle(client) as Drizzle;
  return {
    open: async () => void (await migrate(client, migrations, async () => {})),
    client,
    db,
    scanClient: client,
    scanDb: db,
    runWriterJob: undefined,
    timedBatch: async statements => ({ results: await client.batch(statements, 'write'), writerMs: undefined }),
    withReader: use => use(client),
    maintenance: undefined,
    file: undefined,
    writeQueueDepth: () => 0,
    busyIncidents: () => 0,
    close: async () => client.close(),
  };
}
