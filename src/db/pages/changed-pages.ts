/*
 * Keeps track of the pages that changed since they were last taken, for continuous backup. Runs in the writer's thread, between its
 * transactions, so that everything it reads is one state of the database. Changes are remembered by page number, so the log can be
 * emptied at any time, however long the pages are not taken.
 */
import { hashPage, xorPage } from '../../core/backup/contents.ts';
import { openWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

export type PagesRequest =
  /** Takes changed pages, all of them if there are at most `max`. */
  | { kind: 'take'; max: number }
  /** These pages count as changed, and are taken in full. */
  | { kind: 'mark'; pages: Uint32Array }
  /** The hashes of all pages that the backup has; `compare` checks them in slices. */
  | { kind: 'known'; hashes: BigUint64Array }
  | { kind: 'compare'; max: number }
  | { kind: 'state' };

/**
 * `ageMs`: of the oldest change among them. `isKnown`: whether all changes since the last comparison were seen; otherwise pages must
 * be compared again.
 */
type Changes = { changed: number; ageMs: number; isKnown: boolean };

/**
 * `deltas[i]`: whether the bytes of a page are the XOR with the content that was taken last. `isAll`: with these pages, everything
 * up to now is taken, and the database has `databasePages` pages.
 */
export type TakenPages = Changes & {
  pages: Uint32Array;
  deltas: Uint8Array;
  hashes: BigUint64Array;
  bytes: Uint8Array<ArrayBuffer>;
  pageSize: number;
  databasePages: number;
  isAll: boolean;
};

/** `left`: pages still to compare. */
export type PagesState = Changes & { left: number };

export type PagesReply<R extends PagesRequest> = R extends { kind: 'take' } ? TakenPages : PagesState;

/** Pages whose last taken content is kept, because pages that change often change little. */
const maxKept = 1024;
/** A page is taken in full after this many changes. */
const maxDeltas = 15;
/** SQLite's own limit: a checkpoint every 16 MiB. */
const checkpointFrames = 1000;

type Kept = { bytes: Uint8Array<ArrayBuffer>; deltas: number };

export type ChangedPages = ReturnType<typeof createChangedPages>;

/** @param checkpoint empties the log as far as readers allow it, without waiting */
export function createChangedPages({
  path,
  pageSize,
  checkpoint,
}: {
  path: string;
  pageSize: number;
  checkpoint: () => void;
}) {
  let log: WriteAheadLog = openWriteAheadLog(path, pageSize);
  const old: WriteAheadLog[] = [];
  const changed = new Set<number>();
  /** When the oldest of them changed. */
  let since = 0;
  const kept = new Map<number, Kept>();
  let isKnown = false;
  let known: { hashes: BigUint64Array; next: number } | undefined;

  const add = (page: number): void => {
    if (changed.size === 0) since = performance.now();
    changed.add(page);
  };
  const advance = (): void => {
    if (!log.advance(add)) isKnown = false;
  };
  const changes = (): Changes => ({
    changed: changed.size,
    ageMs: changed.size === 0 ? 0 : performance.now() - since,
    isKnown,
  });

  /** Replaces the page by its XOR with what was taken last, if most of it is the same. */
  const toDelta = (page: number, bytes: Uint8Array<ArrayBuffer>): boolean => {
    const last = kept.get(page);
    kept.delete(page);
    const now = bytes.slice();
    if (last && last.deltas < maxDeltas) xorPage(bytes, last.bytes);
    const isDelta = last !== undefined && last.deltas < maxDeltas && isMostlyZero(bytes);
    if (!isDelta) bytes.set(now);
    kept.set(page, { bytes: now, deltas: isDelta ? last.deltas + 1 : 0 });
    if (kept.size > maxKept) kept.delete(kept.keys().next().value as number);
    return isDelta;
  };

  const take = (max: number): TakenPages => {
    const databasePages = log.pages();
    for (const page of changed) if (page > databasePages) changed.delete(page);
    const before = changes();
    const isAll = changed.size <= max;
    const pages = Uint32Array.from(isAll ? changed : changed.values().take(max)).sort();
    const bytes = new Uint8Array(pages.length * pageSize);
    const hashes = new BigUint64Array(pages.length);
    const deltas = new Uint8Array(pages.length);
    for (const [i, page] of pages.entries()) {
      const target = bytes.subarray(i * pageSize, (i + 1) * pageSize);
      log.readPage(page, target);
      hashes[i] = hashPage(target);
      deltas[i] = toDelta(page, target) ? 1 : 0;
    }
    // Only now, because after an error they are still to be taken.
    for (const page of pages) changed.delete(page);
    return { ...before, pages, deltas, hashes, bytes, pageSize, databasePages, isAll };
  };

  const mark = (page: number): void => {
    kept.delete(page);
    add(page);
  };

  const compare = (max: number): void => {
    if (!known) return;
    const page = new Uint8Array(pageSize);
    const end = Math.min(known.next + max, log.pages() + 1);
    for (; known.next < end; known.next++) {
      log.readPage(known.next, page);
      if (hashPage(page) !== known.hashes[known.next - 1]) mark(known.next);
    }
    if (known.next > log.pages()) known = undefined;
  };

  return {
    /** Call it after each write and before each checkpoint, so that no change is missed when the log begins again. */
    afterWrite(): void {
      try {
        advance();
        if (log.frames() < checkpointFrames) return;
      } catch {
        // The write succeeded. All pages are compared later.
        isKnown = false;
      }
      checkpoint();
    },
    /** Call it after the connection was replaced. */
    onReconnect(): void {
      if (log.isCurrent()) return;
      old.push(log);
      log = openWriteAheadLog(path, pageSize);
      isKnown = false;
    },
    run(request: PagesRequest): TakenPages | PagesState {
      advance();
      switch (request.kind) {
        case 'take':
          return take(request.max);
        case 'mark':
          for (const page of request.pages) mark(page);
          break;
        case 'known':
          known = { hashes: request.hashes, next: 1 };
          // What was taken last may not be what the backup has.
          kept.clear();
          isKnown = true;
          break;
        case 'compare':
          compare(request.max);
          break;
        case 'state':
          break;
      }
      return { ...changes(), left: known ? Math.max(0, log.pages() + 1 - known.next) : 0 };
    },
    close(): void {
      for (const one of [log, ...old]) one.close();
    },
  };
}

function isMostlyZero(bytes: Uint8Array): boolean {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
  let zeros = 0;
  for (const word of words) if (word === 0) zeros++;
  return zeros * 2 > words.length;
}
