/*
 * Opens the database that the configuration names: embedded libSQL in threads, or a libSQL server over the network. What
 * comes out is the same either way. In an embedded database exactly one connection writes, in one thread, in one process.
 */
import { chmodSync, existsSync } from 'node:fs';
import { type Client, createClient } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { fromFileUrl } from './file-url.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { startThread } from './thread.ts';
import { createThreadedClient } from './threaded-client.ts';

export type SpawnThread = (name: 'writer' | 'reader') => Worker;

export type Drizzle = LibSQLDatabase<Record<string, never>>;

export type Database = {
  /** For everything short: requests never wait behind a long scan. */
  client: Client;
  db: Drizzle;
  /** Reads of any length (search, export, backup): a thread of their own when the database is embedded. */
  scanClient: Client;
  scanDb: Drizzle;
  /** Where the embedded file is; undefined for a server. */
  file: string | undefined;
  /** Statements sent to the writer and not answered yet. */
  writeDepth: () => number;
  /** How often SQLITE_BUSY happened: an incident, see connection.ts. */
  busyIncidents: () => number;
  close: () => Promise<void>;
};

export type DatabaseOptions = {
  url: string;
  authToken: string | undefined;
  spawn: SpawnThread;
  onBusy: () => void;
  /** A database thread died; nothing more will be answered. */
  onDeath: (error: Error) => void;
};

/** Opens and migrates. @throws SchemaError, or the database's own error when it cannot be opened. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const file = fromFileUrl(options.url);
  return file === undefined ? openServer(options) : openFile(file, options);
}

async function openServer({ url, authToken }: DatabaseOptions): Promise<Database> {
  const client = createClient({ url, ...(authToken !== undefined && { authToken }), intMode: 'number' });
  await migrate(client, migrations, async () => {});
  const db = drizzle(client) as Drizzle;
  return {
    client,
    db,
    scanClient: client,
    scanDb: db,
    file: undefined,
    writeDepth: () => 0,
    busyIncidents: () => 0,
    close: async () => client.close(),
  };
}

async function openFile(file: string, { spawn, onBusy, onDeath }: DatabaseOptions): Promise<Database> {
  let busy = 0;
  const start = (name: 'writer' | 'reader') =>
    startThread({
      spawn: () => spawn(name),
      hello: { path: file, readOnly: name === 'reader' },
      onBusy: () => {
        busy++;
        onBusy();
      },
      onDeath,
    });
  // The writer first: it creates the file and turns WAL on, which a reader cannot.
  const writer = await start('writer');
  chmodSync(file, 0o600);
  const [reader, scanner] = await Promise.all([start('reader'), start('reader')]);
  const client = createThreadedClient(writer, reader);
  const scanClient = createThreadedClient(writer, scanner);
  const close = async (): Promise<void> => {
    await Promise.all([reader.close(), scanner.close()]);
    await writer.close();
  };
  try {
    await migrate(client, migrations, from => copyAside(client, file, from));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    client,
    db: drizzle(client) as Drizzle,
    scanClient,
    scanDb: drizzle(scanClient) as Drizzle,
    file,
    writeDepth: writer.depth,
    busyIncidents: () => busy,
    close,
  };
}

/** A copy beside the database, named after the version it holds; an older copy of that version is kept as it is. */
async function copyAside(client: Client, file: string, from: number): Promise<void> {
  const copy = `${file}.before-upgrade-from-${from}`;
  if (existsSync(copy)) return;
  await client.execute({ sql: 'VACUUM INTO ?', args: [copy] });
  chmodSync(copy, 0o600);
}
