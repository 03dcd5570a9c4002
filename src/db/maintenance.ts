/*
 * Maintenance of an embedded database file: free pages, write-ahead log, copies. A libSQL server does this by itself.
 */
import type { Client } from '@libsql/client';
import type { OnDemandReaders } from './threads/on-demand-readers.ts';
import type { DatabaseThread } from './threads/thread-handle.ts';

export type Maintenance = {
  /** The pages of the file: their total, and the free pages that could be cut off. */
  pages: () => Promise<{ total: number; free: number }>;
  /** Cuts up to `count` free pages off the file. @returns the writer's time, ms */
  vacuum: (count: number) => Promise<number>;
  /** Writes the write-ahead log into the file and empties it, unless a reader is using it. @returns whether it is empty */
  truncateWal: () => Promise<boolean>;
  /** Overwrites what deleted rows left in these pages (threads/page-slack.ts). */
  clearPages: (from: number, count: number) => Promise<ClearedPages>;
  /** Call it after the last page was cleared. */
  stopClearing: () => Promise<void>;
  /** Writes a consistent copy while the database stays in use. `path` is an empty file or does not exist. */
  copyInto: (path: string) => Promise<void>;
};

/** `pages`: the size of the file. `writerMs`: the writer's time. */
export type ClearedPages = { pages: number; changed: number; unreadable: number; writerMs: number };

export type MaintenanceOptions = {
  client: Client;
  writer: DatabaseThread;
  /** Runs `use` with a separate reader thread. */
  withThread: OnDemandReaders['withThread'];
};

export function createMaintenance({ client, writer, withThread }: MaintenanceOptions): Maintenance {
  return {
    async pages() {
      const { rows } = await client.execute(
        // Pages can be cut off only in incremental mode (2).
        'SELECT page_count, iif(auto_vacuum = 2, freelist_count, 0) FROM pragma_page_count, pragma_freelist_count, pragma_auto_vacuum',
      );
      return { total: Number(rows[0]?.[0]), free: Number(rows[0]?.[1]) };
    },
    // As a script: a prepared statement that is stepped once moves a single page, stays open and pins the log.
    async vacuum(count) {
      return (await writer.send({ kind: 'script', sql: `PRAGMA incremental_vacuum(${Math.trunc(count)})` })).ms;
    },
    async truncateWal() {
      const { results } = await writer.send({ kind: 'truncate-wal' });
      return results[0]?.rows[0]?.[0] === 0;
    },
    async clearPages(from, count) {
      const { results, ms } = await writer.send({ kind: 'clear-pages', from, count });
      const [pages = 0, changed = 0, unreadable = 0] = (results[0]?.rows[0] ?? []) as unknown as number[];
      return { pages, changed, unreadable, writerMs: ms };
    },
    async stopClearing() {
      await writer.send({ kind: 'stop-clearing' });
    },
    async copyInto(path) {
      await withThread(thread => thread.send({ kind: 'vacuum-into', path }));
    },
  };
}
