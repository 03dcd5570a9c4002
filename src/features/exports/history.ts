/*
 * Reads an endpoint's history as of one moment, page by page; the next page is read while the caller uses the last one, unless it is
 * one large event. Later events are not included, and events that are removed before they are read are missing. If the endpoint is
 * deleted during the export, reading fails, because a file that ended there would look complete.
 */

import { bytesToRead } from '../../core/concurrency/content-reads.ts';
import { notFound } from '../../core/errors.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { EventKey, ExportRow, ExportsStore } from './store.ts';

const keysPerQuery = 1024;
const keysPerSelection = 256;
/** The most bytes of bodies on a page, unless it is one larger event. A block that spans two pages is unpacked twice. */
const maxPageBytes = 512 << 10;

export type HistoryOptions = {
  store: ExportsStore;
  endpoint: number;
  /** The oldest time of receipt to include. Pinned events may be older. */
  since: number;
  /** The newest row number to include. */
  newest: number;
  /** Only events with these row numbers. */
  only?: readonly number[] | undefined;
  /** Chooses events by their row numbers, before their contents are read. Without it, all events are read. */
  select?: SelectEvents | undefined;
  memory: PageMemory;
  /** Stops reading. */
  signal: AbortSignal;
};

/** Memory for a page that is one large event. */
export type PageMemory = {
  /** Waits for the memory, which nothing else of this export may hold. @throws the reason of the export's signal */
  hold: (bytes: number) => Promise<void>;
  release: () => void;
};

/** Returns the row numbers, among these, of the events to export. */
export type SelectEvents = (seqs: readonly number[]) => Promise<ReadonlySet<number>>;

/** @throws the database's error, or not_found if the endpoint was deleted since */
export async function* readHistory(options: HistoryOptions): AsyncGenerator<ExportRow[]> {
  const { store, endpoint, since, newest, only, select, memory, signal } = options;
  const extent = { endpoint, since, newest };
  const start: Position = { receivedAt: Number.MIN_SAFE_INTEGER, seq: -1 };
  /** The positions after the last keys and after the last page that were read. */
  let [afterKeys, afterPage] = [start, start];
  let keys: EventKey[] = [];
  let next = 0;
  let areLastKeys = false;

  const readKeys = async (): Promise<void> => {
    const found = only ? await store.keysOf(extent, only) : await store.keys(extent, afterKeys, keysPerQuery);
    areLastKeys = only !== undefined || found.length < keysPerQuery;
    afterKeys = found.at(-1) ?? afterKeys;
    keys = select ? await selected(found, select) : found;
    next = 0;
    // No more events is the end of the history only if the endpoint still exists.
    if (areLastKeys && keys.length === 0 && !(await store.isLive(endpoint))) throw notFound('endpoint');
  };

  /** @param isFree resolves when the caller does not use the page before any more */
  const readPage = async (isFree: Promise<void>): Promise<ExportRow[] | undefined> => {
    while (next === keys.length && !areLastKeys && !signal.aborted) await readKeys();
    const page = keys.slice(next, endOfPage(keys, next));
    next += page.length;
    const last = page.at(-1);
    if (!last) return undefined;
    const bytes = bytesOf(page);
    if (bytes > maxPageBytes) {
      // An export holds one large event at a time.
      await isFree;
      await memory.hold(bytesToRead(bytes));
    }
    const rows =
      select || only
        ? await store.chosen(
            extent,
            page.map(({ seq }) => seq),
          )
        : await store.page(extent, afterPage, last);
    if (!rows) throw notFound('endpoint');
    afterPage = last;
    return rows;
  };

  let reading = readPage(Promise.resolve());
  while (!signal.aborted) {
    const rows = await reading;
    if (!rows) return;
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    reading = readPage(isFree);
    // The caller may never ask for this page: then its error is ignored.
    reading.catch(() => {});
    yield rows;
    memory.release();
    free();
  }
}

const bytesOf = (keys: readonly EventKey[]): number => keys.reduce((sum, { bytes }) => sum + bytes, 0);

/** The index after the last key of the page that begins at `start`: as many as fit, but at least one if any are left. */
function endOfPage(keys: readonly EventKey[], start: number): number {
  let bytes = 0;
  let end = start;
  for (; end < keys.length; end++) {
    bytes += keys[end]?.bytes ?? 0;
    if (bytes > maxPageBytes && end > start) break;
  }
  return end;
}

async function selected(keys: readonly EventKey[], select: SelectEvents): Promise<EventKey[]> {
  const found: EventKey[] = [];
  for (let start = 0; start < keys.length; start += keysPerSelection) {
    const some = keys.slice(start, start + keysPerSelection);
    const seqs = await select(some.map(({ seq }) => seq));
    found.push(...some.filter(({ seq }) => seqs.has(seq)));
  }
  return found;
}
