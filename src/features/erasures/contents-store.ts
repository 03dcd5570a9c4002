/*
 * Reads everything that was captured for some endpoints, also what is still in a block although its event was deleted, and deletes
 * events and rewrites blocks. Raw SQL, because blocks are read as blobs and lists are passed as JSON.
 */

import type { Client, InStatement, Row } from '@libsql/client';
import type { StoredBlock } from '../../core/blocks/event-block.ts';
import { DamagedError, unpackOwn } from '../../core/blocks/stored-content.ts';
import { pick } from '../../core/pick.ts';
import { blockColumns, toStoredBlock } from '../../db/contents.ts';
import type { Database } from '../../db/database.ts';
import { createRawReader } from '../../db/raw-rows.ts';
import { removalStatements } from '../../db/remove-events.ts';
import { blocksStatement, doneStatement, type FoundEndpoint, type JobRow } from './jobs-store.ts';

export type TeamEndpoint = { seq: number; id: string; name: string };
export type FoundBlock = StoredBlock & { seq: number; endpoint: number };
/** What was captured of an event. */
export type OwnRecord = {
  seq: number;
  endpoint: number;
  path: Uint8Array;
  query: Uint8Array | null;
  sourceIp: string;
  headers: Uint8Array;
  body: Uint8Array;
};
/** The columns that a search signature needs. */
export type BlockEvent = {
  seq: number;
  receivedAt: number;
  eventType: string | null;
  platform: string | null;
  method: string;
};

export type ContentsStore = ReturnType<typeof createContentsStore>;

const jsonList = '(SELECT value FROM json_each(?))';

export function createContentsStore({
  scanClient: client,
  timedBatch,
}: Pick<Database, 'timedBatch'> & { scanClient: Pick<Client, 'execute'> }) {
  const { objects, numbers } = createRawReader(client);
  const rowsOf = async (sql: string, args: (string | number)[]): Promise<Row[]> =>
    (await client.execute({ sql, args })).rows;

  return {
    /** The endpoints of a team, also deleted ones whose events are not removed yet. */
    endpoints: (teamId: string): Promise<TeamEndpoint[]> =>
      objects('SELECT seq, id, name FROM endpoints WHERE team_id = ? ORDER BY seq', [teamId]),

    /** An active endpoint of any team. */
    async endpointById(id: string): Promise<{ seq: number; id: string; token: string; teamId: string } | undefined> {
      const sql = 'SELECT seq, id, token, team_id FROM endpoints WHERE id = ? AND deleted_at IS NULL';
      return (await objects<{ seq: number; id: string; token: string; teamId: string }>(sql, [id]))[0];
    },

    /** The highest row number that was ever used. */
    lastEvent: async (): Promise<number> =>
      (await numbers("SELECT seq FROM sqlite_sequence WHERE name = 'events'"))[0] ?? 0,

    /** The next blocks that have events up to `lastEvent`; at most `limit`, and only one if it is large. */
    async blocks(
      endpoints: readonly number[],
      { after, lastEvent, limit }: { after: number; lastEvent: number; limit: number },
    ): Promise<FoundBlock[]> {
      const numbers = await rowsOf(
        `SELECT seq, bytes FROM blocks WHERE seq > ? AND first_event <= ? AND endpoint IN ${jsonList} ORDER BY seq LIMIT ?`,
        [after, lastEvent, JSON.stringify(endpoints), limit],
      );
      const large = numbers.findIndex(row => Number(row[1]) > largeBytes);
      const wanted = large < 0 ? numbers : numbers.slice(0, Math.max(1, large));
      const rows = await rowsOf(
        `SELECT seq, endpoint, ${blockColumns} FROM blocks WHERE seq IN ${jsonList} ORDER BY seq`,
        [JSON.stringify(wanted.map(row => Number(row[0])))],
      );
      return rows.map(row => ({ seq: Number(row[0]), endpoint: Number(row[1]), ...toStoredBlock(row, 2) }));
    },

    async block(seq: number): Promise<FoundBlock | undefined> {
      const [row] = await rowsOf(`SELECT seq, endpoint, ${blockColumns} FROM blocks WHERE seq = ?`, [seq]);
      return row && { seq: Number(row[0]), endpoint: Number(row[1]), ...toStoredBlock(row, 2) };
    },

    /** The next rows of 1.0, which have their own content; damaged ones are left out. */
    async ownRecords(
      endpoints: readonly number[],
      after: number,
      limit: number,
    ): Promise<{ records: OwnRecord[]; last: number | undefined }> {
      const rows = await objects<Omit<OwnRecord, 'headers' | 'body'> & Parameters<typeof unpackOwn>[0]>(
        `SELECT seq, endpoint, encoding, content, path, query, source_ip FROM events
         WHERE seq > ? AND block IS NULL AND endpoint IN ${jsonList} ORDER BY seq LIMIT ?`,
        [after, JSON.stringify(endpoints), limit],
      );
      const records = rows.flatMap(row => {
        try {
          return [{ ...pick(row, 'seq', 'endpoint', 'path', 'query', 'sourceIp'), ...unpackOwn(row) }];
        } catch (error) {
          if (error instanceof DamagedError) return [];
          throw error;
        }
      });
      return { records, last: rows.at(-1)?.seq };
    },

    /** The stored events among these, by endpoint. */
    async count(
      endpoints: readonly TeamEndpoint[],
      events: readonly number[],
    ): Promise<{ found: FoundEndpoint[]; stored: number[] }> {
      const rows = await rowsOf(
        `SELECT seq, endpoint, EXISTS (SELECT 1 FROM pins WHERE event = seq) FROM events WHERE seq IN ${jsonList}`,
        [JSON.stringify(events)],
      );
      const found = endpoints.flatMap(({ seq, id, name }) => {
        const own = rows.filter(row => row[1] === seq);
        return own.length > 0 ? [{ id, name, events: own.length, pinned: own.filter(row => row[2] === 1).length }] : [];
      });
      return { found, stored: rows.map(row => Number(row[0])) };
    },

    /** The events that are in the block now. */
    eventsIn: (block: number, seqs: readonly number[]): Promise<BlockEvent[]> =>
      objects(
        `SELECT seq, received_at, event_type, platform, method FROM events WHERE seq IN ${jsonList} AND block = ? ORDER BY seq`,
        [JSON.stringify(seqs), block],
      ),

    /** Deletes events of a job with all that belongs to them, pinned ones too. @returns the writer's time */
    async remove({ seq: job }: Pick<JobRow, 'seq'>, events: readonly number[]): Promise<number | undefined> {
      const seqs = JSON.stringify(events);
      const endpoints = await numbers(`SELECT DISTINCT endpoint FROM events WHERE seq IN ${jsonList}`, [seqs]);
      const { statements } = removalStatements({ seqs, endpoints, withPinned: true });
      const { writerMs } = await timedBatch([
        blocksStatement(job, events),
        ...forgetItemsStatements(seqs),
        ...statements,
        doneStatement(job, 'event', events),
      ]);
      return writerMs;
    },

    /** Deletes a block without events. */
    async removeBlock(block: number): Promise<void> {
      await timedBatch([
        {
          sql: 'DELETE FROM blocks WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM events WHERE block = blocks.seq AND seq BETWEEN first_event AND last_event)',
          args: [block],
        },
      ]);
    },

    async done({ seq }: Pick<JobRow, 'seq'>, kind: 'event' | 'block', targets: readonly number[]): Promise<void> {
      await timedBatch([doneStatement(seq, kind, targets)]);
    },
  };
}

const largeBytes = 1 << 20;

/**
 * What items of queues keep of these events. Items of forwards go with their event; those of replay jobs stay, without what they
 * know about it. An open one that waits behind another becomes due, because nothing is left to wait for.
 */
const forgetItemsStatements = (seqs: string): InStatement[] => {
  const items = `SELECT seq FROM queue_items WHERE event IN ${jsonList}`;
  return [
    { sql: `DELETE FROM job_answers WHERE item IN (${items})`, args: [seqs] },
    {
      sql: `UPDATE queue_items SET lane = NULL, detail = NULL, error = NULL,
              due_at = iif(outcome IS NULL AND lane IS NOT NULL, ifnull(due_at, added_at), due_at)
            WHERE seq IN (${items}) AND queue IN (SELECT seq FROM queues WHERE kind <> 'forward')`,
      args: [seqs],
    },
  ];
};
