/* Reads stored events for rules, and replaces their contents. Raw SQL, because it moves events between blocks like the packer. */
import type { Client, InStatement } from '@libsql/client';
import { maxBlockBytes, type PackedBlock } from '../../core/blocks/event-block.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import type { Redacted } from '../../core/redaction/model.ts';
import { previewOf } from '../../core/text.ts';
import { type ContentRow, createContentReader, type IntactContent } from '../../db/contents.ts';
import type { Database } from '../../db/database.ts';
import { insertAttemptsSql, removeAttemptsSql } from '../../db/delivery-attempts.ts';
import { readRedacted, redactedJson } from '../../db/event-redactions.ts';
import { createRawReader } from '../../db/raw-rows.ts';

export type AppliedRow = ContentRow & {
  receivedAt: number;
  method: string;
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  /** The number of its delivery; null if it is not computed. */
  delivery: number | null;
  /** Of earlier rules. */
  redacted: Redacted | null;
};
export type ChangedEvent = {
  row: AppliedRow;
  block: PackedBlock;
  start: number;
  path: string;
  query: string | null;
  body: Uint8Array;
  eventType: string | null;
  verdict: string;
  delivery: number | null;
  redacted: Redacted;
};

export type ApplyStore = ReturnType<typeof createApplyStore>;

const columns = `seq, size, encoding, content, sha256, path, query, source_ip, block, block_start, received_at,
  method, platform, event_type, verdict, delivery, ${redactedJson} AS redacted`;
const kept = (column: string): string =>
  `SELECT seq FROM queue_items WHERE event = ?1 AND ${column} IN (SELECT seq FROM queues WHERE kind <> 'forward')`;

export function createApplyStore(
  { scanClient: client, timedBatch }: Pick<Database, 'timedBatch'> & { scanClient: Pick<Client, 'execute'> },
  insertBlocksStatements: (endpoint: number, blocks: readonly PackedBlock[]) => InStatement[],
) {
  const reader = createContentReader(client);
  const { objects } = createRawReader(client);
  return {
    /** The next events of an endpoint, by row number. */
    async rows(endpoint: number, after: number, limit: number): Promise<AppliedRow[]> {
      const rows = await objects<Omit<AppliedRow, 'redacted'> & { redacted: string | null }>(
        `SELECT ${columns} FROM events WHERE endpoint = ? AND seq > ? ORDER BY seq LIMIT ?`,
        [endpoint, after, limit],
      );
      return rows.map(row => ({ ...row, redacted: readRedacted(row.redacted) }));
    },

    /** Takes texts out of the schemas of an endpoint. @param forget a stored schema without them @returns whether one was changed */
    async forgetInSchemas(endpoint: number, forget: (shape: Uint8Array) => Uint8Array | undefined): Promise<boolean> {
      const sql = 'SELECT seq, shape FROM schemas WHERE endpoint = ?';
      const schemas = await objects<{ seq: number; shape: Uint8Array }>(sql, [endpoint]);
      const changes = schemas.flatMap(({ seq, shape }): InStatement[] => {
        const after = forget(shape);
        if (!after || Buffer.compare(shape, after) === 0) return [];
        return [{ sql: 'UPDATE schemas SET shape = ? WHERE seq = ?', args: [after, seq] }];
      });
      if (changes.length > 0) await timedBatch(changes);
      return changes.length > 0;
    },

    /** Undefined if the event was deleted since, or is damaged. */
    async content(row: AppliedRow): Promise<IntactContent | undefined> {
      const found = (await reader.readIntact([row])).get(row.seq);
      return found instanceof DamagedError ? undefined : found;
    },

    /** Replaces the content of an event and what is kept of its replays, in one transaction. @param before runs first in it */
    async replace(endpoint: number, changed: ChangedEvent, before: readonly InStatement[]): Promise<void> {
      const { row, block, start, path, query, body, eventType, verdict, delivery, redacted } = changed;
      const isLarge = body.length > maxBlockBytes;
      const { seq } = row;
      const ifStored = 'EXISTS (SELECT 1 FROM events WHERE seq = ?1)';
      await timedBatch([
        ...before,
        {
          sql: 'UPDATE blocks SET events = events - 1 WHERE seq = (SELECT block FROM events WHERE seq = ?1)',
          args: [seq],
        },
        // These numbers are hashes of what is taken out.
        { sql: removeAttemptsSql('SELECT ?1'), args: [seq] },
        {
          sql: 'UPDATE OR REPLACE sequences SET delivery = ?2 WHERE event = ?1 AND delivery >= 0 AND ?2 IS NOT NULL',
          args: [seq, delivery],
        },
        ...insertBlocksStatements(endpoint, [block]),
        {
          sql: `UPDATE events SET block = (SELECT seq FROM sqlite_sequence WHERE name = 'blocks'), block_start = ?2, size = ?3,
                  encoding = 0, event_type = ?4, verdict = ?5, source_ip = '', sha256 = x'', content = x'', preview = ?6, path = ?7, query = ?8,
                  delivery = ?9
                WHERE seq = ?1`,
          args: [
            seq,
            start,
            body.length,
            eventType,
            verdict,
            isLarge ? previewOf(body) : Buffer.alloc(0),
            isLarge ? Buffer.from(path, 'latin1') : Buffer.alloc(0),
            isLarge && query !== null ? Buffer.from(query, 'latin1') : null,
            delivery,
          ],
        },
        // The event was deleted in the meantime.
        `DELETE FROM blocks WHERE seq = (SELECT seq FROM sqlite_sequence WHERE name = 'blocks') AND changes() = 0`,
        { sql: insertAttemptsSql('?1', '?1'), args: [seq] },
        {
          sql: `INSERT OR REPLACE INTO redactions (event, endpoint, received_at, rules, fields, sha256)
                SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ${ifStored}`,
          args: [seq, endpoint, row.receivedAt, redacted.rules, JSON.stringify(redacted.fields), redacted.sha256],
        },
        { sql: 'UPDATE replays SET response = NULL, request = NULL WHERE event = ?1', args: [seq] },
        { sql: `DELETE FROM job_answers WHERE item IN (${kept('queue')})`, args: [seq] },
        { sql: `UPDATE queue_items SET detail = NULL, error = NULL WHERE seq IN (${kept('queue')})`, args: [seq] },
      ]);
    },
  };
}
