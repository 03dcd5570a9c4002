/*
 * Removes the search index of 1.0 after an upgrade: FTS5 tables of up to a sixth of all payloads. Dropping them at once would hold the
 * writer for seconds, so their rows are deleted first, in slices.
 */
import type { Client } from '@libsql/client';

/**
 * How many rows a slice deletes from each table of the index. Rows of the first table have 8 KB, and its rows up to 10 describe
 * the index.
 */
const slices = [
  'DELETE FROM events_search_data WHERE id IN (SELECT id FROM events_search_data WHERE id > 10 LIMIT 32)',
  'DELETE FROM events_search_idx WHERE (segid, term) IN (SELECT segid, term FROM events_search_idx LIMIT 500)',
  'DELETE FROM events_search_docsize WHERE id IN (SELECT id FROM events_search_docsize LIMIT 1000)',
];

export function createOldIndexStore(client: Client) {
  return {
    exists: async (): Promise<boolean> =>
      (await client.execute("SELECT 1 FROM sqlite_master WHERE name = 'events_search'")).rows.length > 0,

    /** Deletes the next rows. @returns whether there were any */
    async removeSome(): Promise<boolean> {
      for (const sql of slices) {
        const [result] = await client.batch([sql], 'write');
        if (result && result.rowsAffected > 0) return true;
      }
      return false;
    },

    /** Drops the tables once they are empty. */
    async drop(): Promise<void> {
      await client.batch(['DROP TABLE IF EXISTS events_search'], 'write');
    },
  };
}

export type OldIndexStore = ReturnType<typeof createOldIndexStore>;
