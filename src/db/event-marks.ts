/* Pins and tags, as parts of queries. Table names are literal: Drizzle omits them in a query on one table. */
import { type Placeholder, type SQL, sql } from 'drizzle-orm';

/** `pinnedAt`: epoch ms. */
export type PinRow = { name: string | null; note: string | null; pinnedAt: number };

export const pinJson = `(SELECT json_object('name', name, 'note', note, 'pinnedAt', pinned_at) FROM pins WHERE event = events.seq)`;
/** The tags of a row of `events` as JSON, in the order in which they were added. */
export const tagsJson =
  '(SELECT json_group_array(tag) FROM (SELECT tag FROM tags WHERE event = events.seq ORDER BY position))';
export const isPinned = 'EXISTS (SELECT 1 FROM pins WHERE event = events.seq)';

export const readPin = (json: unknown): PinRow | null => (json === null ? null : (JSON.parse(String(json)) as PinRow));
export const readTags = (json: unknown): string[] => (json === '[]' ? [] : (JSON.parse(String(json)) as string[]));

/** How many events a team has pinned. @param teamId a parameter of the statement */
export const countPinsSql = (teamId: string): string =>
  `(SELECT count(*) FROM pins JOIN endpoints ON endpoints.seq = pins.endpoint WHERE team_id = ${teamId} AND deleted_at IS NULL)`;

export const markColumns = {
  pin: sql<PinRow | null>`${sql.raw(pinJson)}`.mapWith(readPin),
  tags: sql<string[]>`${sql.raw(tagsJson)}`.mapWith(readTags),
};
export type Marks = { pin: PinRow | null; tags: string[] };

/** Rows of `events` that were received at `since` or later, or are pinned. */
export const isVisible = (since: number | SQL): SQL => sql`(events.received_at >= ${since} OR ${sql.raw(isPinned)})`;

/** The time before which events of a row of `endpoints` are expired, unless they are pinned. */
export const endpointCutoff = ({
  planCutoff,
  now,
}: {
  planCutoff: number | SQL | Placeholder;
  now: number | Placeholder;
}): SQL => sql`max(${planCutoff}, ifnull(${now} - endpoints.retention_ms, ${planCutoff}))`;
