/* Replay jobs and their items in their wire shapes. */
import { eventId } from '../../core/ids/ids.ts';
import { rowCursor } from '../../core/ids/row-cursor.ts';
import { defaultPageSize } from '../../core/limits.ts';
import type { EventSummary } from '../events/model.ts';
import type { ReplayJob, ReplayJobItem } from './model.ts';
import type { Counts, ItemRow, JobRow } from './store.ts';
import type { ItemDetail } from './work.ts';

/** The number of rows on a page. One more is read, to know whether it is the last. */
export const pageSize = (limit: number | string | undefined): number =>
  limit === undefined ? defaultPageSize : Number(limit);

/** The first `size` rows, and the cursor of the next page. */
export function toPage<Row extends { seq: number }>(rows: readonly Row[], size: number) {
  const shown = rows.slice(0, size);
  const last = rows.length > size ? shown.at(-1) : undefined;
  return { shown, nextCursor: last ? rowCursor(last.seq) : null };
}

export const toJob = (row: JobRow, counts: Counts): ReplayJob => ({
  id: row.id,
  state: row.state,
  endpointId: row.endpointId,
  where: row.filter.toString(),
  dest: row.dest.toString(),
  dest2: row.dest2?.toString() ?? null,
  ignore: JSON.parse(row.ignored.toString()) as string[],
  compareHeaders: JSON.parse(row.compared.toString()) as string[],
  pace: row.pace,
  concurrency: row.concurrency,
  per: row.per,
  skipOk: row.skipOk,
  stopAfter: row.stopAfter,
  sign: row.sign,
  matched: row.matched ?? 0,
  bytes: row.bytes,
  ok: counts.ok ?? 0,
  failed: counts.failed ?? 0,
  skipped: counts.skipped ?? 0,
  same: counts.same ?? 0,
  different: counts.different ?? 0,
  createdAt: row.createdAt,
  startedBy: row.startedBy,
  finishedAt: row.finishedAt,
});

/** @param events the readable events, by id */
export function toItem(row: ItemRow, events: ReadonlyMap<string, EventSummary>): ReplayJobItem {
  const { outcome, status, error, detail } = row;
  // The detail of a waiting item is the time at which its event was received.
  const known: ItemDetail =
    outcome === null || detail === null
      ? { status2: null, differences: [] }
      : (JSON.parse(detail.toString('utf8')) as ItemDetail);
  const { status2, differences, sentAt = null, durationMs = null } = known;
  const id = eventId(row.event ?? 0, row.nonce ?? Buffer.alloc(12));
  return {
    eventId: id,
    event: events.get(id) ?? null,
    sentAt,
    durationMs,
    outcome: (outcome ?? 'waiting') as ReplayJobItem['outcome'],
    status,
    status2,
    error,
    differences,
  };
}
