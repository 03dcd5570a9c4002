/*
 * Opens the database that the configuration names: embedded libSQL in threads, or a libSQL server over the network. What
 * comes out is the same either way. In an embedded database exactly one connection writes, in one thread, in one process.
 */
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { restrictToOwner } from './files/file-mode.ts';
import { fromFileUrl } from './files/file-url.ts';
import { createMaintenance, createOnDemandReaders, type Maintenance } from './maintenance.ts';
import { migrate } from './migrate.ts';
import { migrations as realMigrations } from './migrations.ts';
import { toStatement } from './threads/messages.ts';
import { createLazyThread, startThread } from './threads/thread-handle.ts';
import { createThreadedClient } from './threads/threaded-client.ts';

export type SpawnThread = (name: 'writer' | 'reader') => Worker;

/**
 * Starts threads before anybody asks for them: they load their program while the data directory is made and locked.
 * @returns a `spawn` that hands these out first; never one that has died meanwhile, which would not say so again
 */
export function spawnAhead(spawn: SpawnThread, names: readonly ('writer' | 'reader')[]): SpawnThread {
  const ahead = new Map<Worker, 'writer' | 'reader'>();
  for (const name of names) {
    const worker = spawn(name);
    ahead.set(worker, name);
    for (const end of ['error', 'close']) worker.addEventListener(end, () => ahead.delete(worker));
  }
  return name => {
    for (const [worker, its] of ahead)
      if (its === name) {
        ahead.delete(worker);
        return worker;
      }
    return spawn(name);
  };
}

export type Drizzle = LibSQLDatabase<Record<string, never>>;

export type Database = {
  /** For everything short: requests never wait behind a long scan. */
  client: Client;
  db: Drizzle;
  /** Reads of any length (search, export, backup): a thread of their own when the database is embedded. */
  scanClient: Client;
  scanDb: Drizzle;
  /** Runs the writer thread's own job (connection.ts); undefined for a server, which has no thread here. */
  runWriterJob: ((input: unknown, handedOver: ArrayBuffer[]) => Promise<unknown>) | undefined;
  /** A write batch of background work; `writerMs` is the writer's own time for it, unknown behind a network. */
  timedBatch: (statements: InStatement[]) => Promise<{ results: ResultSet[]; writerMs: number | undefined }>;
  /** A reader for work of minutes (checks), in a thread that is made for it when the database is embedded. */
  withReader: <T>(use: (client: Client) => Promise<T>) => Promise<T>;
  /** Undefined for a server, which keeps itself. */
  maintenance: Maintenance | undefined;
  /** Where the embedded file is; undefined for a server. */
  file: string | undefined;
  /** Statements sent to the writer and not answered yet. */
  writeQueueDepth: () => number;
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
  onThreadFailure: (error: Error) => void;
  /** The schema's history, other than the real one. */
  migrations?: readonly string[];
};

/** Opens and migrates. @throws SchemaError, or the database's own error when it cannot be opened. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const file = fromFileUrl(options.url);
  return file === undefined ? openServer(options) : openFile(file, options);
}

/** How long a libSQL server may take for one request. */
const serverPatienceMs = 20_000;

async function openServer({ url, authToken, migrations = realMigrations }: DatabaseOptions): Promise<Database> {
  const client = createClient({
    url,
    ...(authToken !== undefined && { authToken }),
    intMode: 'number',
    // The library itself waits for ever; a sender who is told to come back is better off.
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(serverPatienceMs) }),
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

async function openFile(
  file: string,
  { spawn, onBusy, onThreadFailure, migrations = realMigrations }: DatabaseOptions,
): Promise<Database> {
  let busy = 0;
  const start = (name: 'writer' | 'reader') =>
    startThread({
      spawn: () => spawn(name),
      open: { path: file, readOnly: name === 'reader' },
      onBusy: () => {
        busy++;
        onBusy();
      },
      onThreadFailure,
    });
  clearCopies(file);
  // Made first, so that it and the log beside it, which takes its mode, are nobody else's to read at any moment.
  closeSync(openSync(file, 'a', 0o600));
  restrictToOwner(file);
  // The writer first: it turns WAL on, which a reader cannot.
  const writer = await start('writer');
  const reader = await start('reader');
  const scanner = createLazyThread(() => start('reader'));
  const client = createThreadedClient(writer, reader);
  const scanClient = createThreadedClient(writer, scanner);
  const spares = createOnDemandReaders(() =>
    startThread({
      spawn: () => spawn('reader'),
      open: { path: file, readOnly: true },
      onBusy,
      onThreadFailure: () => {},
    }),
  );
  const close = async (): Promise<void> => {
    spares.abandonAll();
    await Promise.all([reader.close(), scanner.close()]);
    // Closing does not do it by itself, and whoever copies the file of a stopped server expects all of it in there.
    await writer.send({ kind: 'truncate-wal' }).catch(() => {});
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
    runWriterJob: async (input, handedOver) => (await writer.send({ kind: 'job', input, transfer: handedOver })).output,
    timedBatch: async statements => {
      const { results, ms } = await writer.send({
        kind: 'batch',
        statements: statements.map(statement => toStatement(statement)),
        mode: 'write',
      });
      return { results, writerMs: ms };
    },
    withReader: spares.withClient,
    maintenance: createMaintenance({ client, writer, withThread: spares.withThread }),
    file,
    writeQueueDepth: writer.queueDepth,
    busyIncidents: () => busy,
    close,
  };
}

/** A copy beside the database, named after the version it holds; an older copy of that version is kept as it is. */
async function copyAside(client: Client, file: string, from: number): Promise<void> {
  const copy = `${file}.before-upgrade-from-${from}`;
  if (existsSync(copy)) return;
  // It carries its name only once it is whole: one that was cut off must not pass for a copy at the next start.
  const part = `${copy}.part`;
  closeSync(openSync(part, 'wx', 0o600));
  try {
    await client.execute({ sql: 'VACUUM INTO ?', args: [part] });
    renameSync(part, copy);
  } finally {
    rmSync(part, { force: true });
  }
}

const unfinishedCopy = /^\.(?:restoring|before-upgrade-from-\d+\.part)(?:-(?:journal|wal|shm))?$/;

/** What an upgrade or a restore that was killed left beside the database: nobody makes any while it is being opened here. */
function clearCopies(file: string): void {
  const [directory, name] = [dirname(file), basename(file)];
  try {
    for (const found of readdirSync(directory))
      if (found.startsWith(name) && unfinishedCopy.test(found.slice(name.length)))
        rmSync(join(directory, found), { force: true });
  } catch {
    // It takes room, and is in nobody's way.
  }
}
