/* The interface of a database for the rest of the program, identical for an embedded file and a libSQL server. */
import type { Client, InStatement, ResultSet } from '@libsql/client';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';
import type { Maintenance } from './maintenance.ts';
import type { SpawnThread } from './threads/prespawned-threads.ts';

export type Drizzle = LibSQLDatabase<Record<string, never>> & { $client: Client };

/** An upgrade of a database with data. `copy`: the path of the copy of the previous database; undefined for a server. */
export type Upgrade = { fromSchema: number; toSchema: number; copy: string | undefined };

export type Database = {
  /**
   * Opens and migrates; call it before all other methods.
   * @throws SchemaError, or the database's error if it cannot be opened
   */
  open: () => Promise<Upgrade | undefined>;
  /** For short statements: they never wait behind a long scan. */
  client: Client;
  db: Drizzle;
  /** For reads of any length (search, export, backup): an embedded database has a thread for them. */
  scanClient: Client;
  scanDb: Drizzle;
  /** Runs the writer thread's job (threads/thread-server.ts); undefined for a server, which has no thread here. */
  runWriterJob: ((input: unknown, transfer: ArrayBuffer[]) => Promise<unknown>) | undefined;
  /** A write batch of capture: on a server, it runs before all other waiting writes. */
  captureBatch: (statements: InStatement[]) => Promise<ResultSet[]>;
  /** A write batch of background work. `writerMs`: how long the writer worked on it; unknown for a server. */
  timedBatch: (statements: InStatement[]) => Promise<{ results: ResultSet[]; writerMs: number | undefined }>;
  /** Runs work that takes minutes (checks); in an embedded database, with a separate reader thread. */
  withReader: <T>(use: (client: Client) => Promise<T>) => Promise<T>;
  /** Undefined for a server, which maintains its own files. */
  maintenance: Maintenance | undefined;
  /** Path of the embedded file; undefined for a server. */
  file: string | undefined;
  /** The number of pending requests to the writer. */
  writeQueueDepth: () => number;
  /** How often SQLITE_BUSY happened. Each is an incident (threads/thread-connection.ts). */
  busyIncidents: () => number;
  close: () => Promise<void>;
};

/** Callbacks for events of the database. */
export type DatabaseEvents = {
  onBusy: () => void;
  /** Called when a database thread died: the database no longer responds. */
  onThreadFailure: (error: Error) => void;
};

export type DatabaseOptions = DatabaseEvents & {
  url: string;
  authToken: string | undefined;
  spawn: SpawnThread;
  /** For tests: replaces the released migrations. */
  migrations?: readonly string[];
};
