/*
 * Opens the database that the configuration names: an embedded file (embedded-database.ts) or a libSQL server over the
 * network. Both give the same interface.
 */
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { openEmbedded } from './embedded-database.ts';
import { fromFileUrl } from './files/file-url.ts';
import type { Maintenance } from './maintenance.ts';
import { migrate } from './migrate.ts';
import { migrations as allMigrations } from './migrations.ts';
import type { SpawnThread } from './threads/prespawned-threads.ts';

export type Drizzle = LibSQLDatabase<Record<string, never>> & { $client: Client };

export type Database = {
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

export type DatabaseOptions = {
  url: string;
  authToken: string | undefined;
  spawn: SpawnThread;
  onBusy: () => void;
  /** A database thread died: the database answers no more. */
  onThreadFailure: (error: Error) => void;
  /** For tests: another list than the released migrations. */
  migrations?: readonly string[];
};

/** Opens and migrates. @throws SchemaError, or the database's own error when it cannot be opened */
export async function openDatabase({ migrations = allMigrations, ...options }: DatabaseOptions): Promise<Database> {
  const file = fromFileUrl(options.url);
  return file === undefined ? openServer({ ...options, migrations }) : openEmbedded(file, { ...options, migrations });
}

/** How long one request to a libSQL server may take. */
const serverTimeoutMs = 20_000;

async function openServer({ url, authToken, migrations }: Required<DatabaseOptions>): Promise<Database> {
  const client = createClient({
    url,
    ...(authToken !== undefined && { authToken }),
    intMode: 'number',
    // The client library has no timeout, and a sender that gets an error can try again.
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(serverTimeoutMs) }),
  });
  await migrate(client, migrations, async () => {});
  const db = drizzle(client) as Drizzle;
  return {
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
