/* Which columns of events are read, the order of a list, and the query of one event. */

import { and, desc, eq, gte, isNull, lt, sql } from 'drizzle-orm';
import type { Position } from '../../core/ids/cursor.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { endpointCutoff, isVisible, markColumns } from '../../db/event-marks.ts';
import { outcomeColumn } from '../../db/event-outcomes.ts';
import { redactedColumn } from '../../db/event-redactions.ts';
import { blocks, endpoints, events, pins } from '../../db/schema.ts';

/** All columns but the content of rows of 1.0: a list does not read its overflow pages. */
export const summaryColumns = {
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
export const detailColumns = {
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
export const selectFound = (db: Drizzle) =>
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
