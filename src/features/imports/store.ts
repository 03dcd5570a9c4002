/* What an import reads: the endpoint that it writes to, and the events that are stored already. */
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { TeamAccess } from '../../core/access/principal.ts';
import type { OwnRetention } from '../../core/events/retention.ts';
import { createContentReader } from '../../db/contents.ts';
import type { Drizzle } from '../../db/database.ts';
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
          const { path, query, headersJson, body } = content;
          yield {
            receivedAt,
            nonce,
            method,
            path: path.toString('latin1'),
            query: query?.toString('latin1') ?? null,
            headersJson,
            body,
          };
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
