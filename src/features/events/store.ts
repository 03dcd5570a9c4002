/* Reads events. Ownership and retention are part of every query. */
import { and, asc, desc, eq, gt, gte, inArray, isNull, lte, max, sql } from 'drizzle-orm';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import type { Position } from '../../core/cursor.ts';
import { largeBodyBytes, maxReplaysShown } from '../../core/limits.ts';
import { DamagedError } from '../../core/stored-content.ts';
import { createContentReader, type IntactContent } from '../../db/contents.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, blocks, endpoints, events, replays } from '../../db/schema.ts';

/** All columns but the content of rows of 1.0: a list does not read its overflow pages. */
const summaryColumns = {
  seq: events.seq,
  nonce: events.nonce,
  receivedAt: events.receivedAt,
  size: events.size,
  method: events.method,
  platform: events.platform,
  eventType: events.eventType,
  verdict: events.verdict,
  path: events.path,
  query: events.query,
  preview: events.preview,
  block: events.block,
  blockStart: events.blockStart,
};
const detailColumns = {
  ...summaryColumns,
  endpoint: events.endpoint,
  sourceIp: events.sourceIp,
  sha256: events.sha256,
  encoding: events.encoding,
  content: events.content,
};

const { content: _, ...foundColumns } = detailColumns;

export type SummaryRow = Pick<typeof events.$inferSelect, keyof typeof summaryColumns>;
export type DetailRow = Pick<typeof events.$inferSelect, keyof typeof detailColumns>;
/** An event and its endpoint, without its content. `contentBytes`: as stored. */
export type FoundRow = Omit<DetailRow, 'content'> & {
  contentBytes: number;
  endpointId: string;
  token: string;
};
/** An event whose content has been checked. */
export type IntactRow = SummaryRow & IntactContent;
export type ReplayAttemptRow = {
  destination: string;
  status: number | null;
  ok: boolean;
  durationMs: number;
  createdAt: number;
  accountId: string | null;
  email: string | null;
};

/** Row numbers: a list of them, or a range. */
export type Rows = { seqs: number[] } | { after: number; upTo: number };

export type EventsStore = ReturnType<typeof createEventsStore>;

export function createEventsStore(db: Drizzle) {
  const contents = createContentReader(db.$client);
  /** Events of one endpoint after a position of the list, received at `since` or later. */
  const after = (endpoint: number, since: number, position: Position | undefined) =>
    and(
      eq(events.endpoint, endpoint),
      gte(events.receivedAt, since),
      position && sql`(${events.receivedAt}, ${events.seq}) < (${position.receivedAt}, ${position.seq})`,
    );
  /** Events by row number. The `+` rules out the index by time, after which SQLite would have to sort. */
  const byRow = (endpoint: number, since: number, which: Rows) =>
    and(
      'seqs' in which ? inArray(events.seq, which.seqs) : and(gt(events.seq, which.after), lte(events.seq, which.upTo)),
      sql`+${events.endpoint} = ${endpoint}`,
      sql`+${events.receivedAt} >= ${since}`,
    );
  const blockBytes = db
    .select({ bytes: sql`length(${blocks.content})` })
    .from(blocks)
    .where(eq(blocks.seq, events.block));
  const newestFirst = [desc(events.receivedAt), desc(events.seq)];

  return {
    page: async (
      endpoint: number,
      since: number,
      position: Position | undefined,
      limit: number,
    ): Promise<SummaryRow[]> =>
      contents.withPreviews(
        await db
          .select(summaryColumns)
          .from(events)
          .where(after(endpoint, since, position))
          .orderBy(...newestFirst)
          .limit(limit),
      ),

    /** The highest row number, of any endpoint; 0 without events. */
    newest: async (): Promise<number> => (await db.select({ seq: max(events.seq) }).from(events))[0]?.seq ?? 0,

    /** Events of one endpoint by row number, oldest first. */
    rows: async (endpoint: number, since: number, which: Rows, limit: number): Promise<SummaryRow[]> =>
      contents.withPreviews(
        await db
          .select(summaryColumns)
          .from(events)
          .where(byRow(endpoint, since, which))
          .orderBy(asc(events.seq))
          .limit(limit),
      ),

    /** The same rows with content, those that are not damaged. */
    async rowsWithContent(endpoint: number, since: number, which: Rows, limit: number): Promise<IntactRow[]> {
      const rows = await db
        .select(detailColumns)
        .from(events)
        .where(byRow(endpoint, since, which))
        .orderBy(asc(events.seq))
        .limit(limit);
      const found = await contents.readIntact(rows);
      return rows.flatMap(row => {
        const content = found.get(row.seq);
        return content && !(content instanceof Error) ? [{ ...row, ...content }] : [];
      });
    },

    /** One event of a live endpoint of this team, received at `since` or later. */
    async find(teamId: string, seq: number, nonce: Uint8Array, since: number): Promise<FoundRow | undefined> {
      const rows = await db
        .select({
          ...foundColumns,
          contentBytes: sql<number>`ifnull(${blockBytes}, length(${events.content}))`,
          endpointId: endpoints.id,
          token: endpoints.token,
        })
        .from(events)
        .innerJoin(endpoints, eq(endpoints.seq, events.endpoint))
        .where(
          and(
            eq(events.seq, seq),
            eq(events.nonce, Buffer.from(nonce)),
            gte(events.receivedAt, since),
            eq(endpoints.teamId, teamId),
            isNull(endpoints.deletedAt),
          ),
        );
      return rows[0];
    },

    /** The content of an event that was found; undefined when the event has been removed since. @throws DamagedError */
    async content(
      { seq, nonce, size }: Pick<FoundRow, 'seq' | 'nonce' | 'size'>,
      yieldIfDue: YieldIfDue,
    ): Promise<IntactContent | undefined> {
      const [row] = await db
        .select(detailColumns)
        .from(events)
        .where(and(eq(events.seq, seq), eq(events.nonce, nonce)));
      if (!row) return undefined;
      if (size > largeBodyBytes) return contents.readLarge(row, yieldIfDue);
      const content = (await contents.readIntact([row])).get(seq);
      if (content instanceof DamagedError) throw content;
      return content;
    },

    /** Replay attempts, newest first, at most 20. */
    attempts: (seq: number): Promise<ReplayAttemptRow[]> =>
      db
        .select({
          destination: replays.destination,
          status: replays.status,
          ok: replays.ok,
          durationMs: replays.durationMs,
          createdAt: replays.createdAt,
          accountId: replays.accountId,
          email: accounts.email,
        })
        .from(replays)
        .leftJoin(accounts, eq(accounts.id, replays.accountId))
        .where(eq(replays.event, seq))
        .orderBy(desc(replays.seq))
        .limit(maxReplaysShown),
  };
}
