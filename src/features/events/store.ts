/* Reads events. Ownership and retention are part of every query. */

import type { Row } from '@libsql/client';
import { and, asc, count, desc, eq, gt, gte, inArray, isNull, lt, lte, max, type SQL, sql } from 'drizzle-orm';
import type { StoredOutcome } from '../../core/answers/model.ts';
import { maxBlockBytes, type StoredBlock } from '../../core/blocks/event-block.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import type { ContentRead } from '../../core/concurrency/content-reads.ts';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import type { PlanCutoff } from '../../core/events/retention.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { largeBodyBytes, maxReplaysShown } from '../../core/limits.ts';
import { pick } from '../../core/pick.ts';
import type { Redacted } from '../../core/redaction/model.ts';
import {
  blockColumns,
  bytesHeldFor,
  createContentReader,
  type Describe,
  type Described,
  type IntactContent,
  type KnownContents,
  toStoredBlock,
} from '../../db/contents.ts';
import type { Drizzle } from '../../db/database.ts';
import { endpointCutoff, isVisible, type Marks, markColumns, readPin, readTags } from '../../db/event-marks.ts';
import { outcomeColumn, readOutcome } from '../../db/event-outcomes.ts';
import { readRedacted, redactedColumn } from '../../db/event-redactions.ts';
import { accounts, blocks, endpoints, events, pins, replays } from '../../db/schema.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';

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
  delivery: events.delivery,
  ...markColumns,
  outcome: outcomeColumn,
  redacted: redactedColumn,
};
const detailColumns = {
  ...summaryColumns,
  ...pick(events, 'endpoint', 'sourceIp', 'sha256', 'encoding', 'content'),
};

export const newestFirst = [desc(events.receivedAt), desc(events.seq)];
/** Events of one endpoint after a position of the list, received at `since` or later. */
export const isAfter = (endpoint: number, since: number, position: Position | undefined) =>
  and(
    eq(events.endpoint, endpoint),
    gte(events.receivedAt, since),
    position && sql`(${events.receivedAt}, ${events.seq}) < (${position.receivedAt}, ${position.seq})`,
  );
export const newestPinsFirst = [desc(pins.receivedAt), desc(pins.event)];
/** Pins of its events after a position, received before `since`: these come last. */
export const isPinAfter = (endpoint: number, since: number, position: Position | undefined) =>
  and(
    eq(pins.endpoint, endpoint),
    lt(pins.receivedAt, since),
    position && sql`(${pins.receivedAt}, ${pins.event}) < (${position.receivedAt}, ${position.seq})`,
  );

/** The content if it is small; null for a large event, which is read once its memory has been reserved. */
const ifSmall = <Content extends typeof events.content | typeof blocks.content>(content: Content) =>
  sql<Buffer | null>`CASE WHEN ${events.size} <= ${largeBodyBytes} THEN ${content} END`.mapWith(content);
const storedBlockColumns = pick(blocks, 'firstEvent', 'bytes', 'encoding', 'checksum');

/**
 * One event with its endpoint. It is prepared, because replays and forwards read each event with it, and building it takes longer
 * than the query.
 */
const selectFound = (db: Drizzle) =>
  db
    .select({
      row: { ...detailColumns, content: ifSmall(events.content) },
      block: storedBlockColumns,
      blockContent: ifSmall(blocks.content),
      contentBytes: sql<number>`ifnull(length(${blocks.content}), length(${events.content}))`,
      endpointId: endpoints.id,
      token: endpoints.token,
      retentionMs: endpoints.retentionMs,
    })
    .from(events)
    .leftJoin(blocks, eq(blocks.seq, events.block))
    .innerJoin(endpoints, and(eq(endpoints.seq, events.endpoint), isNull(endpoints.deletedAt)))
    .where(
      and(
        and(eq(events.seq, sql.placeholder('seq')), eq(events.nonce, sql.placeholder('nonce'))),
        isVisible(endpointCutoff({ planCutoff: sql.placeholder('planCutoff'), now: sql.placeholder('now') })),
        eq(endpoints.teamId, sql.placeholder('teamId')),
      ),
    )
    .prepare();

type EventColumns = Marks & typeof events.$inferSelect & { outcome: StoredOutcome; redacted: Redacted | null };
/** Rows that were read for a list have the highlights that `describe` finds. */
export type SummaryRow = Pick<EventColumns, keyof typeof summaryColumns> & Partial<Described>;
export type DetailRow = Pick<EventColumns, keyof typeof detailColumns>;
/** An event and its endpoint. `contentBytes`: as stored. */
export type FoundRow = Omit<DetailRow, 'content'> & {
  contentBytes: number;
  endpointId: string;
  token: string;
  /** The endpoint's own retention. */
  retentionMs: number | null;
  /** What was read with the row: null for a large event. */
  read: { content: Buffer | null; block: Omit<StoredBlock, 'content'> | null; blockContent: Buffer | null };
};
/** An event whose content has been checked. */
export type IntactRow = SummaryRow & IntactContent;
export type ReplayAttemptRow = Awaited<ReturnType<EventsStore['attempts']>>[number];

/** In the order of `summaryColumns`. */
const toSummaryRow = (row: Row): SummaryRow => ({
  seq: Number(row[0]),
  nonce: Buffer.from(row[1] as ArrayBuffer),
  receivedAt: Number(row[2]),
  size: Number(row[3]),
  method: String(row[4]),
  platform: row[5] as string | null,
  eventType: row[6] as string | null,
  verdict: row[7] as string | null,
  path: Buffer.from(row[8] as ArrayBuffer),
  query: row[9] === null ? null : Buffer.from(row[9] as ArrayBuffer),
  preview: Buffer.from(row[10] as ArrayBuffer),
  block: row[11] as number | null,
  blockStart: row[12] as number | null,
  delivery: row[13] as number | null,
  pin: readPin(row[14]),
  tags: readTags(row[15]),
  outcome: readOutcome(row[16]),
  redacted: readRedacted(row[17]),
});

/** Row numbers: a list of them, or a range. */
export type Rows = { seqs: number[] } | { after: number; upTo: number };

const attemptColumns = {
  seq: replays.seq,
  destination: replays.destination,
  status: replays.status,
  ok: replays.ok,
  durationMs: replays.durationMs,
  createdAt: replays.createdAt,
  via: replays.via,
  signed: replays.signed,
  edited: replays.edited,
  response: replays.response,
  request: replays.request,
  accountId: replays.accountId,
  email: accounts.email,
};

export type EventsStore = ReturnType<typeof createEventsStore>;

const withoutDescription: Describe = {
  highlightsOf: () => ({ highlights: [], action: null }),
  isSigned: () => false,
};

/**
 * Without `describe`, rows have no highlights.
 * @param scanDb for reads of any length: a large event would delay all short queries
 */
export function createEventsStore(db: Drizzle, scanDb: Drizzle, describe: Describe = withoutDescription) {
  const contents = createContentReader(db.$client);
  const large = { db: scanDb, contents: createContentReader(scanDb.$client) };
  /** The row numbers of its pinned events after a position, received before `since`. */
  const pinnedAfter = (endpoint: number, since: number, position: Position | undefined, limit: number) =>
    db
      .select({ seq: pins.event })
      .from(pins)
      .where(isPinAfter(endpoint, since, position))
      .orderBy(...newestPinsFirst)
      .limit(limit);
  /** Events by row number. The `+` rules out the index by time, after which SQLite would have to sort. */
  const byRow = (endpoint: number, since: number, which: Rows) =>
    and(
      'seqs' in which ? inArray(events.seq, which.seqs) : and(gt(events.seq, which.after), lte(events.seq, which.upTo)),
      sql`+${events.endpoint} = ${endpoint}`,
      isVisible(since),
    );
  /** The contents of rows of 1.0, which are in no block. Large contents are left out, as they are for blocks. */
  const ownContents = async (rows: readonly SummaryRow[]): Promise<KnownContents> => {
    const own = rows.filter(({ block, size }) => block === null && size <= maxBlockBytes).map(({ seq }) => seq);
    if (own.length === 0) return new Map();
    return contents.readIntact(await db.select(detailColumns).from(events).where(inArray(events.seq, own)));
  };
  /** Reads a page and its blocks at once, not as a batch of Drizzle, which would wait for the writer. */
  const readPage = async (condition: SQL | undefined, order: SQL[], limit: number): Promise<SummaryRow[]> => {
    const page = db
      .select(summaryColumns)
      .from(events)
      .where(condition)
      .orderBy(...order)
      .limit(limit);
    const { sql: pageSql, args } = toClientStatement(page);
    const ofBlocks = `SELECT seq, ${blockColumns} FROM blocks WHERE seq IN (SELECT block FROM (${pageSql})) AND bytes <= ${maxBlockBytes}`;
    const [rows, known] = await db.$client.batch(
      [
        { sql: pageSql, args },
        { sql: ofBlocks, args },
      ],
      'read',
    );
    const found = rows?.rows.map(toSummaryRow) ?? [];
    return contents.withPreviews(found, {
      own: await ownContents(found),
      known: new Map(known?.rows.map(row => [Number(row[0]), toStoredBlock(row, 1)])),
      describe,
    });
  };
  const foundEvent = selectFound(db);

  return {
    /** The next events of the list. Pinned events older than `since` come last, so most pages need not read them. */
    async page(endpoint: number, since: number, position: Position | undefined, limit: number): Promise<SummaryRow[]> {
      const rows = await readPage(isAfter(endpoint, since, position), newestFirst, limit);
      const left = limit - rows.length;
      if (left === 0) return rows;
      const pinned = pinnedAfter(endpoint, since, position, left);
      return [...rows, ...(await readPage(inArray(events.seq, pinned), newestFirst, left))];
    },

    /** The highest row number, of any endpoint; 0 without events. */
    newest: async (): Promise<number> => (await db.select({ seq: max(events.seq) }).from(events))[0]?.seq ?? 0,

    /** Events of one endpoint by row number, oldest first. */
    rows: (endpoint: number, since: number, which: Rows, limit: number): Promise<SummaryRow[]> =>
      readPage(byRow(endpoint, since, which), [asc(events.seq)], limit),

    /** The row numbers of events of one endpoint, oldest first. */
    async seqs(endpoint: number, since: number, which: Rows, limit: number): Promise<number[]> {
      const rows = await db
        .select({ seq: events.seq })
        .from(events)
        .where(byRow(endpoint, since, which))
        .orderBy(asc(events.seq))
        .limit(limit);
      return rows.map(({ seq }) => seq);
    },

    /**
     * Events of one endpoint with content, oldest first, all in memory; damaged ones are left out.
     * @throws as `hold` of the read
     */
    async rowsWithContent(
      endpoint: number,
      since: number,
      which: readonly { seq: number; size: number }[],
      read: ContentRead,
    ): Promise<IntactRow[]> {
      await read.hold(bytesHeldFor(which));
      const from = which.some(({ size }) => size > largeBodyBytes) ? large : { db, contents };
      const rows = await from.db
        .select(detailColumns)
        .from(events)
        .where(byRow(endpoint, since, { seqs: which.map(({ seq }) => seq) }))
        .orderBy(asc(events.seq));
      const found = await from.contents.readIntact(rows);
      return rows.flatMap(row => {
        const content = found.get(row.seq);
        return content && !(content instanceof Error) ? [{ ...row, ...content }] : [];
      });
    },

    /** One event of a live endpoint of this team, not expired or pinned. */
    async find(
      teamId: string,
      event: { seq: number; nonce: Uint8Array },
      cutoff: PlanCutoff,
    ): Promise<FoundRow | undefined> {
      const [found] = await foundEvent.all({ teamId, seq: event.seq, nonce: Buffer.from(event.nonce), ...cutoff });
      if (!found) return undefined;
      const { row, block, blockContent, ...others } = found;
      return { ...row, ...others, read: { content: row.content, block, blockContent } };
    },

    /** The content of an event that was found; undefined when the event has been removed since. @throws DamagedError */
    async content(found: FoundRow, yieldIfDue: YieldIfDue): Promise<IntactContent | undefined> {
      const { seq, nonce, size, read } = found;
      if (size > largeBodyBytes) {
        const [row] = await large.db
          .select(detailColumns)
          .from(events)
          .where(and(eq(events.seq, seq), eq(events.nonce, nonce)));
        return row && large.contents.readLarge(row, yieldIfDue);
      }
      const known = new Map<number, StoredBlock>();
      if (found.block !== null && read.block && read.blockContent)
        known.set(found.block, { ...read.block, content: read.blockContent });
      const row = { ...found, content: read.content ?? Buffer.alloc(0) };
      const content = (await contents.readIntact([row], known)).get(seq);
      if (content instanceof DamagedError) throw content;
      return content;
    },

    /** Replay attempts, newest first, at most 20. */
    attempts: (seq: number) =>
      db
        .select(attemptColumns)
        .from(replays)
        .leftJoin(accounts, eq(accounts.id, replays.accountId))
        .where(eq(replays.event, seq))
        .orderBy(desc(replays.seq))
        .limit(maxReplaysShown),

    /** What is kept of the request of an attempt that `attempts` has; undefined or null otherwise. */
    async requestOf(event: number, attempt: number): Promise<Buffer | null | undefined> {
      const newer = db
        .select({ n: count() })
        .from(replays)
        .where(and(eq(replays.event, event), gt(replays.seq, attempt)));
      const [row] = await db
        .select({ request: replays.request })
        .from(replays)
        .where(and(eq(replays.event, event), eq(replays.seq, attempt), sql`(${newer}) < ${maxReplaysShown}`));
      return row?.request;
    },
  };
}
