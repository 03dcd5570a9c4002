/*
 * Reads an endpoint's history as of one moment, page by page; the next page is read while the caller uses the last one.
 * Later events are not included, and events that are removed before they are read are missing. When the endpoint is deleted
 * meanwhile, reading fails, because a file that ended there would look complete.
 */
import type { Position } from '../../core/cursor.ts';
import { notFound } from '../../core/errors.ts';
import type { EventKey, ExportRow, ExportsStore } from './store.ts';

const keysPerQuery = 1024;
/** Of bodies. Pages begin and end inside a block, which is then unpacked twice. */
const maxPageBytes = 512 << 10;

export type HistoryOptions = {
  store: ExportsStore;
  endpoint: number;
  /** The oldest time of receipt to include. Pinned events may be older. */
  since: number;
  /** The newest row number to include. */
  newest: number;
  /** Stops reading. */
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
  let after: Position = { receivedAt: Number.MIN_SAFE_INTEGER, seq: -1 };
  let keys: EventKey[] = [];
  let next = 0;
  let areLastKeys = false;

  const readPage = async (): Promise<ExportRow[] | undefined> => {
    if (next === keys.length) {
      if (areLastKeys) return undefined;
      keys = await store.keys({ endpoint, since, newest }, after, keysPerQuery);
      areLastKeys = keys.length < keysPerQuery;
      next = 0;
    }
    next = endOfPage(keys, next);
    const last = keys[next - 1];
    // No more events is the end of the history only if the endpoint still exists.
    if (!last && !(await store.isLive(endpoint))) throw notFound('endpoint');
    if (!last) return undefined;
    const rows = await store.page({ endpoint, since, newest }, after, last);
    if (!rows) throw notFound('endpoint');
    after = last;
    return rows;
  };

  let reading = readPage();
  while (!signal.aborted) {
    const rows = await reading;
    if (!rows) return;
    reading = readPage();
    // The caller may never ask for this page: then its error is ignored.
    reading.catch(() => {});
    yield rows;
  }
}

/** The index after the last key of the page that begins at `start`: as many as fit, but at least one if there is one. */
function endOfPage(keys: readonly EventKey[], start: number): number {
  let bytes = 0;
  let end = start;
  for (; end < keys.length; end++) {
    bytes += keys[end]?.bytes ?? 0;
    if (bytes > maxPageBytes && end > start) break;
  }
  return end;
}
