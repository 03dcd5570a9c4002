/*
 * An endpoint's history as it was at one moment, page by page, the next page being read while the last is used. Events that
 * come in later are not part of it. Those that are removed before their turn are missing; an endpoint that is deleted ends
 * the reading with an error, because a file that stops there would look whole.
 */
import type { Position } from '../../core/cursor.ts';
import { notFound } from '../../core/errors.ts';
import type { EventKey, ExportRow, ExportsStore } from './store.ts';

const keysAtOnce = 1024;
const pageBytes = 64 << 10;

export type HistoryOptions = {
  store: ExportsStore;
  endpoint: number;
  /** The oldest time of receipt that may be read. */
  since: number;
  /** The newest event that is part of it. */
  newest: number;
  /** Ends the reading. */
  signal: AbortSignal;
};

/** @throws the database's error, or not_found when the endpoint was deleted meanwhile */
export async function* readHistory({
  store,
  endpoint,
  since,
  newest,
  signal,
}: HistoryOptions): AsyncGenerator<ExportRow[]> {
  let after: Position = { receivedAt: since, seq: -1 };
  let keys: EventKey[] = [];
  let next = 0;
  let areLast = false;

  const readPage = async (): Promise<ExportRow[] | undefined> => {
    if (next === keys.length) {
      if (areLast) return undefined;
      keys = await store.keys(endpoint, after, newest, keysAtOnce);
      areLast = keys.length < keysAtOnce;
      next = 0;
    }
    next = endOfPage(keys, next);
    const last = keys[next - 1];
    // That there is nothing is the end only of an endpoint that is still there.
    if (!last && !(await store.isLive(endpoint))) throw notFound('endpoint');
    if (!last) return undefined;
    const rows = await store.page(endpoint, after, last, newest);
    if (!rows) throw notFound('endpoint');
    after = last;
    return rows;
  };

  let reading = readPage();
  while (!signal.aborted) {
    const rows = await reading;
    if (!rows) return;
    reading = readPage();
    // When nobody asks for that page any more, its failure is nobody's business.
    reading.catch(() => {});
    yield rows;
  }
}

/** The index after the last key of the page that begins at `start`: as many as fit, at least one if there is one. */
export function endOfPage(keys: readonly EventKey[], start: number): number {
  let bytes = 0;
  let end = start;
  for (; end < keys.length; end++) {
    bytes += keys[end]?.bytes ?? 0;
    if (bytes > pageBytes && end > start) break;
  }
  return end;
}
