/* What an import reads: the endpoint that it writes to, and the events that are stored already. */

import type { Client, InStatement } from '@libsql/client';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { TeamAccess } from '../../core/access/principal.ts';
import type { ImportedEvent } from '../../core/events/exported-event.ts';
import type { OwnRetention } from '../../core/events/retention.ts';
import { pick } from '../../core/pick.ts';
import { createContentReader } from '../../db/contents.ts';
import type { Drizzle } from '../../db/database.ts';
import { countPinsSql } from '../../db/event-marks.ts';
import { endpoints, events, teams } from '../../db/schema.ts';
import { inList } from '../../db/sql-fragments.ts';

export type TargetEndpoint = TeamAccess & OwnRetention & { seq: number };

/** Identifies an event of one endpoint without its row number, which an import does not know. */
export type EventKey = { receivedAt: number; nonce: Uint8Array };

/** A stored event, with the fields that are compared. */
export type ExistingEvent = EventKey & {
  method: string;
  path: string;
  query: string | null;
  headersJson: string;
  body: Uint8Array;
};

export type ImportsStore = ReturnType<typeof createImportsStore>;

const maxPageBytes = 4 << 20;
/** Limits paths and queries, which may have some 16 KB each. */
const maxPageRows = 128;

export function createImportsStore(db: Drizzle) {
  const contents = createContentReader(db.$client);
  return {
    /** The live endpoint with this id, of any team. */
    async endpoint(id: string): Promise<TargetEndpoint | undefined> {
      const rows = await db
        .select({ seq: endpoints.seq, teamId: endpoints.teamId, plan: teams.plan, retentionMs: endpoints.retentionMs })
        .from(endpoints)
        .innerJoin(teams, eq(teams.id, endpoints.teamId))
        .where(and(eq(endpoints.id, id), isNull(endpoints.deletedAt)));
      return rows[0];
    },

    /**
     * The endpoint's events that have one of these times of receipt and one of these sizes, without damaged ones. Contents are
     * read a few megabytes at a time, which bounds memory and the responses of a libSQL server.
     */
    async *findSimilar(
      endpoint: number,
      times: readonly number[],
      sizes: readonly number[],
    ): AsyncGenerator<ExistingEvent> {
      const keys = await db
        .select({ seq: events.seq, bytes: events.size })
        .from(events)
        .where(and(eq(events.endpoint, endpoint), inList(events.receivedAt, times), inList(events.size, sizes)));
      for (const seqs of toPages(keys)) {
        const rows = await db.select().from(events).where(inArray(events.seq, seqs));
        const found = await contents.readIntact(rows);
        for (const { seq, receivedAt, nonce, method } of rows) {
          const content = found.get(seq);
          if (!content || content instanceof Error) continue;
          const [path, query] = [content.path.toString('latin1'), content.query?.toString('latin1') ?? null];
          yield { receivedAt, nonce, method, path, query, ...pick(content, 'headersJson', 'body') };
        }
      }
    },
  };
}

/** Row numbers of events whose contents are read together. */
function* toPages(keys: readonly { seq: number; bytes: number }[]): Generator<number[]> {
  let seqs: number[] = [];
  let pageBytes = 0;
  for (const { seq, bytes } of keys) {
    if (seqs.length === maxPageRows || (seqs.length > 0 && pageBytes + bytes > maxPageBytes)) {
      yield seqs;
      seqs = [];
      pageBytes = 0;
    }
    seqs.push(seq);
    pageBytes += bytes;
  }
  if (seqs.length > 0) yield seqs;
}

/** The pin and the tags of a stored event in the file. */
export type ImportedMarks = EventKey & Pick<ImportedEvent, 'pin' | 'tags'>;

export type MarksStore = ReturnType<typeof createMarksStore>;

const isEvent = 'endpoint = ?1 AND received_at = ?2 AND nonce = ?3';
const insertPin = `INSERT INTO pins (event, endpoint, received_at, name, note, pinned_at)
  SELECT seq, endpoint, received_at, CASE WHEN EXISTS (SELECT 1 FROM pins WHERE endpoint = ?1 AND name = ?4) THEN NULL ELSE ?4 END, ?5, ?6
  FROM events WHERE ${isEvent} AND ${countPinsSql('?7')} < ?8
  ON CONFLICT (event) DO NOTHING`;
const insertTags = `INSERT INTO tags (event, tag, position, endpoint, received_at)
  SELECT seq, value, key, endpoint, received_at
  FROM (SELECT seq, endpoint, received_at FROM events WHERE ${isEvent} AND NOT EXISTS (SELECT 1 FROM tags WHERE event = seq)),
    json_each(?4)`;

/** Gives imported events their pins and tags. Raw SQL, because Drizzle's INSERT … SELECT takes only plain columns. */
export function createMarksStore(client: Pick<Client, 'batch' | 'execute'>) {
  return {
    /** How many events the team has pinned. */
    async countPins(teamId: string): Promise<number> {
      const { rows } = await client.execute({ sql: `SELECT ${countPinsSql('?1')}`, args: [teamId] });
      return Number(rows[0]?.[0]);
    },

    /**
     * Marks events of the endpoint, in one transaction. Existing pins and tags stay. A name that another event of the endpoint
     * has is left out, and so are pins beyond `maxPins` of the team.
     * @returns for each event whether it exists
     */
    async mark(
      { seq: endpoint, teamId }: TargetEndpoint,
      marks: readonly ImportedMarks[],
      maxPins: number,
    ): Promise<boolean[]> {
      const statements: InStatement[] = [];
      /** For each event, the position of the statement whose count shows that it exists. */
      const counts = marks.map(({ pin, tags, receivedAt, nonce }) => {
        const event = [endpoint, receivedAt, nonce];
        if (pin) {
          const { name, note, pinnedAt } = pin;
          statements.push({ sql: insertPin, args: [...event, name, note, pinnedAt, teamId, maxPins] });
        }
        if (tags.length > 0) statements.push({ sql: insertTags, args: [...event, JSON.stringify(tags)] });
        return statements.push({ sql: `SELECT count(*) FROM events WHERE ${isEvent}`, args: event }) - 1;
      });
      const results = await client.batch(statements, 'write');
      return counts.map(index => Number(results[index]?.rows[0]?.[0]) > 0);
    },
  };
}
