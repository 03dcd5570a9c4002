/* Maintenance of an embedded database file: free pages, write-ahead log, copies. A libSQL server does this by itself. */
import type { Client } from '@libsql/client';
import type { OnDemandReaders } from './threads/on-demand-readers.ts';
import type { DatabaseThread } from './threads/thread-handle.ts';

export type Maintenance = ReturnType<typeof createMaintenance>;

/** @param withThread runs a function with a separate reader thread */
export function createMaintenance(client: Client, writer: DatabaseThread, withThread: OnDemandReaders['withThread']) {
  return {
    /** The pages of the file: their total, and the free pages that could be cut off. */
    async pages(): Promise<{ total: number; free: number }> {
      const { rows } = await client.execute(
        // Pages can be cut off only in incremental mode (2).
        'SELECT page_count, iif(auto_vacuum = 2, freelist_count, 0) FROM pragma_page_count, pragma_freelist_count, pragma_auto_vacuum',
      );
      return { total: Number(rows[0]?.[0]), free: Number(rows[0]?.[1]) };
    },
    /** Cuts up to `count` free pages off the file. @returns the writer's time, ms */
    async vacuum(count: number): Promise<number> {
      // As a script: a prepared statement that is stepped once moves a single page, stays open and pins the log.
      return (await writer.send({ kind: 'script', sql: `PRAGMA incremental_vacuum(${Math.trunc(count)})` })).ms;
    },
    /** Writes the write-ahead log into the file and empties it, unless a reader is using it. @returns whether it is empty */
    async truncateWal(): Promise<boolean> {
      const { results } = await writer.send({ kind: 'truncate-wal' });
      return results[0]?.rows[0]?.[0] === 0;
    },
    /** Overwrites what deleted rows left in these pages (threads/page-slack.ts). @returns `pages`: of the file */
    async clearPages(from: number, count: number) {
      const { results, ms } = await writer.send({ kind: 'clear-pages', from, count });
      const [pages = 0, changed = 0, unreadable = 0] = (results[0]?.rows[0] ?? []) as unknown as number[];
      return { pages, changed, unreadable, writerMs: ms };
    },
    /** Call it after the last page was cleared. */
    async stopClearing(): Promise<void> {
      await writer.send({ kind: 'stop-clearing' });
    },
    /** Writes a consistent copy while the database stays in use. `path` is an empty file or does not exist. */
    async copyInto(path: string): Promise<void> {
      await withThread(thread => thread.send({ kind: 'vacuum-into', path }));
    },
  };
}
