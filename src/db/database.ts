/* What the rest of the program sees of a database, the same for an embedded file and a libSQL server. */
import type { Client, InStatement, ResultSet } from '@libsql/client';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';
import type { Maintenance } from './maintenance.ts';
import type { SpawnThread } from './threads/prespawned-threads.ts';

export type Drizzle = LibSQLDatabase<Record<string, never>> & { $client: Client };

/** An upgrade of a database that had data. `copy`: the path of the copy from before; undefined for a server. */
export type Upgrade = { fromSchema: number; toSchema: number; copy: string | undefined };

export type Database = {
  /** Opens and migrates; nothing else works before. @throws SchemaError, or the database's own error when it cannot be opened */
  open: () => Promise<Upgrade | undefined>;
  /** For short statements: they never wait behind a long scan. */
  client: Client;
  db: Drizzle;
  /** For reads of any length (search, export, backup): an embedded database has a thread for them. */
  scanClient: Client;
  scanDb: Drizzle;
  /** Runs the writer thread's job (threads/thread-server.ts); undefined for a server, which has no thread here. */
  runWriterJob: ((input: unknown, transfer: ArrayBuffer[]) => Promise<unknown>) | undefined;
  /** A write batch of capture: on a server, it goes before all other writes that wait. */
  captureBatch: (statements: InStatement[]) => Promise<ResultSet[]>;
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
