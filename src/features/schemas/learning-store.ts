/*
 * Reads stored events in row order, and saves the schemas learned from them together with the new position. Every statement of
 * that transaction requires the old position, so each event counts once, despite crashes and concurrent processes. Raw SQL,
 * because of INSERT … SELECT, and because blocks are read as blobs.
 */
import type { Client, InStatement } from '@libsql/client';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import { backgroundRead } from '../../core/concurrency/content-reads.ts';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import { type ContentRow, createContentReader } from '../../db/contents.ts';
import type { Database } from '../../db/database.ts';
import { createRawReader } from '../../db/raw-rows.ts';
import type { SchemaKey, SchemaRow } from './store.ts';

export type EventToLearn = ContentRow & {
  endpoint: number;
  receivedAt: number;
  nonce: Uint8Array;
  platform: string | null;
  eventType: string | null;
};
/** The schema of one type of an endpoint. */
export type EndpointKey = SchemaKey & { endpoint: number };
export type StoredSchema = SchemaRow & EndpointKey & { shape: Uint8Array };
export type NewChange = EndpointKey & { kind: string; path: string; at: number; eventId: string };
export type Learned = { schemas: readonly StoredSchema[]; changes: readonly NewChange[]; from: number; to: number };

export type LearningStore = ReturnType<typeof createLearningStore>;

const positionName = 'schemas-read-up-to';
const positionBytes = (position: number): Buffer => Buffer.from(String(position));
/** The endpoint, unless it was deleted or another process has read these events; ?1 is its row number, ?2 the position before. */
const ifUnread = `FROM endpoints WHERE seq = ?1 AND deleted_at IS NULL
  AND (SELECT value FROM meta WHERE name = '${positionName}') = ?2`;

export function createLearningStore(
  { scanClient: client, timedBatch }: Pick<Database, 'timedBatch'> & { scanClient: Pick<Client, 'execute'> },
  maxChanges: number,
) {
  const reader = createContentReader(client);
  const { objects, numbers } = createRawReader(client);

  return {
    /** The row number up to which events have been read. */
    async position(): Promise<number> {
      const [row] = await objects<{ value: Uint8Array }>(`SELECT value FROM meta WHERE name = '${positionName}'`);
      return row ? Number(Buffer.from(row.value).toString()) : 0;
    },

    /**
     * The next events in row order, with bodies of at most `maxBytes` together, or one event.
     * @returns the events, except events of deleted endpoints. `to`: the last row number scanned; undefined at the end
     */
    async eventsAfter(
      position: number,
      limit: number,
      maxBytes: number,
    ): Promise<{ events: EventToLearn[]; to: number | undefined }> {
      const sizes = await objects<{ seq: number; size: number }>(
        'SELECT seq, size FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
        [position, limit],
      );
      let [to, total] = [undefined as number | undefined, 0];
      for (const { seq, size } of sizes) {
        total += size;
        if (total > maxBytes && to !== undefined) break;
        to = seq;
      }
      if (to === undefined) return { events: [], to };
      const events = await objects<EventToLearn>(
        `SELECT events.seq, endpoint, received_at, nonce, platform, event_type, size, encoding, sha256, path, query, source_ip,
                block, block_start, content
         FROM events JOIN endpoints ON endpoints.seq = events.endpoint
         WHERE events.seq > ? AND events.seq <= ? AND deleted_at IS NULL ORDER BY events.seq`,
        [position, to],
      );
      return { events, to };
    },

    /** The bodies of these events, in any order; without those deleted in the meantime and damaged ones. */
    async readBodies(
      events: readonly EventToLearn[],
      use: (event: EventToLearn, body: Uint8Array) => Promise<void>,
      yieldIfDue: YieldIfDue,
    ): Promise<void> {
      await reader.read(
        events.filter(({ size }) => size <= largeBodyBytes),
        backgroundRead,
        async (event, content) => {
          if (!(content instanceof DamagedError)) await use(event, content.body);
        },
      );
      for (const event of events) {
        if (event.size <= largeBodyBytes) continue;
        const content = await reader.readLarge(event, yieldIfDue).catch(undefinedIfDamaged);
        if (content) await use(event, content.body);
      }
    },

    schemas: (keys: readonly EndpointKey[]): Promise<StoredSchema[]> =>
      objects(
        `SELECT schemas.endpoint, schemas.platform, schemas.type, count, first_at, last_at, changed_at, shape
         FROM json_each(?) AS wanted JOIN schemas ON schemas.endpoint = wanted.value ->> 0
           AND schemas.type = wanted.value ->> 1 AND schemas.platform = wanted.value ->> 2`,
        [JSON.stringify(keys.map(({ endpoint, type, platform }) => [endpoint, type, platform]))],
      ),

    /** How many schemas the endpoint has. */
    countOf: async (endpoint: number): Promise<number> =>
      (await numbers('SELECT count(*) FROM schemas WHERE endpoint = ?', [endpoint]))[0] ?? 0,

    /** Saves all of it in one transaction. @returns false if another process has read these events; then nothing is saved */
    async save({ schemas, changes, from, to }: Learned): Promise<boolean> {
      const before = positionBytes(from);
      const statements: InStatement[] = [
        ...schemas.map(schema => saveSchemaStatement(schema, before)),
        ...changes.map(change => saveChangeStatement(change, before)),
        ...[...new Set(changes.map(({ endpoint }) => endpoint))].map(endpoint =>
          removeOldChangesStatement(endpoint, maxChanges),
        ),
        {
          sql: `UPDATE meta SET value = ? WHERE name = '${positionName}' AND value = ?`,
          args: [positionBytes(to), before],
        },
      ];
      const { results } = await timedBatch(statements);
      return results.at(-1)?.rowsAffected === 1;
    },
  };
}

function undefinedIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedError)) throw error;
}

const saveSchemaStatement = (schema: StoredSchema, before: Buffer): InStatement => ({
  sql: `INSERT INTO schemas (endpoint, platform, type, count, first_at, last_at, changed_at, shape)
        SELECT seq, ?3, ?4, ?5, ?6, ?7, ?8, ?9 ${ifUnread}
        ON CONFLICT (endpoint, type, platform) DO UPDATE SET count = excluded.count, first_at = excluded.first_at,
          last_at = excluded.last_at, changed_at = excluded.changed_at, shape = excluded.shape`,
  args: [
    schema.endpoint,
    before,
    schema.platform,
    schema.type,
    schema.count,
    schema.firstAt,
    schema.lastAt,
    schema.changedAt,
    schema.shape,
  ],
});

const saveChangeStatement = (change: NewChange, before: Buffer): InStatement => ({
  sql: `INSERT INTO schema_changes (endpoint, platform, type, kind, path, at, event_id)
        SELECT seq, ?3, ?4, ?5, ?6, ?7, ?8 ${ifUnread}`,
  args: [
    change.endpoint,
    before,
    change.platform,
    change.type,
    change.kind,
    Buffer.from(change.path),
    change.at,
    change.eventId,
  ],
});

const removeOldChangesStatement = (endpoint: number, maxChanges: number): InStatement => ({
  sql: `DELETE FROM schema_changes WHERE endpoint = ?1
        AND seq <= (SELECT seq FROM schema_changes WHERE endpoint = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`,
  args: [endpoint, maxChanges],
});
