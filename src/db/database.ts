/* The interface of a database for the rest of the program, identical for an embedded file and a libSQL server. */
import type { Client, InStatement, ResultSet } from '@libsql/client';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';
import type { Maintenance } from './maintenance.ts';
import type { PagesReply, PagesRequest } from './pages/changed-pages.ts';
import type { SpawnThread } from './threads/prespawned-threads.ts';

export type Drizzle = LibSQLDatabase<Record<string, never>> & { $client: Client };

/** An upgrade of a database with data. `copy`: the path of the copy of the previous database; undefined for a server. */
export type Upgrade = { fromSchema: number; toSchema: number; copy: string | undefined };

export type Database = {
  /** Opens and migrates; call it first. @throws SchemaError, or the database's error if it cannot be opened */
  open: () => Promise<Upgrade | undefined>;
  /** For short statements: they never wait behind a long scan. */
  client: Client;
  db: Drizzle;
  /** For reads of any length (search, export, backup): an embedded database has a thread for them. */
  scanClient: Client;
  scanDb: Drizzle;
  /** Runs the writer thread's job (threads/thread-server.ts); undefined for a server, which has no thread here. */
  runWriterJob: ((input: unknown, transfer: ArrayBuffer[]) => Promise<unknown>) | undefined;
  /**
   * A write batch that must not wait: of capture, or a heartbeat. On a server, it runs before all other waiting writes and has a shorter time limit.
   * @throws LibsqlError `TIMEOUT` when the time is up; the server may still carry out the batch
   */
  captureBatch: (statements: InStatement[]) => Promise<ResultSet[]>;
  /** Gives a read that a delivery waits for the time limit of a capture. */
  captureRead: <T>(read: Promise<T>) => Promise<T>;
  /** A write batch of background work. `writerMs`: how long the writer worked on it; unknown for a server. */
  timedBatch: (statements: InStatement[]) => Promise<{ results: ResultSet[]; writerMs: number | undefined }>;
  /** Runs work that takes minutes (checks); in an embedded database, with a separate reader thread. */
  withReader: <T>(use: (client: Client) => Promise<T>) => Promise<T>;
  /** Undefined for a server, which maintains its own files. */
  maintenance: Maintenance | undefined;
  /** Asks the writer for changed pages; undefined unless they are tracked. */
  changedPages: (<R extends PagesRequest>(request: R) => Promise<PagesReply<R>>) | undefined;
  file: string | undefined;
  writeQueueDepth: () => number;
  /** The reason why writes get no response, if it is known: a server can answer reads and no writes. */
  writeProblem: () => Promise<string | undefined>;
  /** Whether a server allows more than one connection, which can stop it from answering writes. */
  runsRequestsAtOnce: () => Promise<boolean>;
  /** How often SQLITE_BUSY happened. Each is an incident (threads/thread-connection.ts). */
  busyIncidents: () => number;
  close: () => Promise<void>;
};

export type ServerLimits = {
  requestMs: number;
  /** How long a capture may take, and a read that a delivery waits for: many senders give up after 5 seconds. */
  captureMs: number;
  /** A server that answers reads, but has answered no write for this long, must be restarted. */
  stallMs: number;
};

export type DatabaseEvents = {
  onBusy: () => void;
  /** Called when a database thread died: the database no longer responds. */
  onThreadFailure: (error: Error) => void;
  /** Called once when a server begins to answer reads but no writes. */
  onWriteStall?: (problem: string) => void;
};

export type DatabaseOptions = DatabaseEvents & {
  url: string;
  authToken: string | undefined;
  spawn: SpawnThread;
  /** Whether `changedPages` is needed, for continuous backup of an embedded database. */
  tracksChanges?: boolean;
  /** For tests: replaces the released migrations. */
  migrations?: readonly string[];
  /** For tests: replaces the time limits of a server. */
  serverLimits?: ServerLimits | undefined;
};
