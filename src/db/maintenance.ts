/*
 * What an embedded database file needs besides statements: space given back, the log cut short, a copy made, a reader for
 * as long as somebody reads. A libSQL server does all of this by itself.
 */
import type { Client } from '@libsql/client';
import type { DatabaseThread } from './threads/thread-handle.ts';
import { createThreadedClient } from './threads/threaded-client.ts';

export type Maintenance = {
  /** How many pages the file has, and how many of them hold nothing and could be cut off. */
  pages: () => Promise<{ total: number; free: number }>;
  /** Cuts up to `count` free pages off the file. @returns the writer's time, ms */
  vacuum: (count: number) => Promise<number>;
  /** Brings the write-ahead log into the file and empties it, unless a reader is in the way. */
  truncateWal: () => Promise<void>;
  /** Writes a consistent copy while everything goes on. `path` is empty or does not exist. */
  copyInto: (path: string) => Promise<void>;
};

export type MaintenanceOptions = {
  client: Client;
  writer: DatabaseThread;
  /** Lends a reader thread that nobody else waits for. */
  withThread: <T>(use: (thread: DatabaseThread) => Promise<T>) => Promise<T>;
};

export function createMaintenance({ client, writer, withThread }: MaintenanceOptions): Maintenance {
  return {
    async pages() {
      const { rows } = await client.execute(
        // A file that was not made for it (mode 2) keeps its free pages.
        'SELECT page_count, iif(auto_vacuum = 2, freelist_count, 0) FROM pragma_page_count, pragma_freelist_count, pragma_auto_vacuum',
      );
      return { total: Number(rows[0]?.[0]), free: Number(rows[0]?.[1]) };
    },
    // As a script: prepared and stepped once it moves a single page, and the statement stays open and pins the log.
    async vacuum(count) {
      return (await writer.send({ kind: 'script', sql: `PRAGMA incremental_vacuum(${Math.trunc(count)})` })).ms;
    },
    async truncateWal() {
      await writer.send({ kind: 'truncate-wal' });
    },
    async copyInto(path) {
      await withThread(thread => thread.send({ kind: 'vacuum-into', path }));
    },
  };
}

/** Reader threads made for one long piece of work each, beside the ones that requests wait for. */
export function createOnDemandReaders(start: () => Promise<DatabaseThread>) {
  const lent = new Set<DatabaseThread>();
  const withThread = async <T>(use: (thread: DatabaseThread) => Promise<T>): Promise<T> => {
    const thread = await start();
    lent.add(thread);
    try {
      return await use(thread);
    } finally {
      lent.delete(thread);
      await thread.close().catch(() => {});
    }
  };
  return {
    withThread,
    withClient: <T>(use: (client: Client) => Promise<T>): Promise<T> =>
      withThread(thread => use(createThreadedClient(thread, thread))),
    /** Whoever still reads fails with CLIENT_CLOSED. */
    abandonAll: (): void => {
      for (const thread of lent) thread.terminate();
    },
  };
}
