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
  /** The hashes of all pages that the backup has, and how many changes it has of each; `compare` checks them in slices. */
  | { kind: 'known'; hashes: BigUint64Array; deltas: Uint8Array }
  | { kind: 'compare'; max: number }
  | { kind: 'state' };

/** `ageMs`: of the oldest change. `isKnown`: all changes since the last comparison were seen; else pages must be compared. */
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

export type PagesState = Changes & { left: number };

export type PagesReply<R extends PagesRequest> = R extends { kind: 'take' } ? TakenPages : PagesState;

/** 32 MiB: pages whose content before their change is kept until they are taken. Further ones are taken in full. */
const maxKept = 2048;
/** A page is taken in full after this many changes. */
const maxDeltas = 63;
/** SQLite's own limit: a checkpoint every 16 MiB. */
const checkpointFrames = 1000;

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
  let since = 0;
  /** The content of changed pages that the backup has. */
  const kept = new Map<number, Uint8Array<ArrayBuffer>>();
  /** How many changes the backup has of each page since its last full version. */
  let deltaCounts: Uint8Array = new Uint8Array(0);
  /** The shortest length of the database since pages were last taken: later pages are not in the backup. */
  let takenPages = 0;
  let isKnown = false;
  let known: { hashes: BigUint64Array; next: number } | undefined;

  const add = (page: number): void => {
    if (changed.size === 0) since = performance.now();
    changed.add(page);
  };
  const addCommitted = (page: number): void => {
    if (changed.has(page)) return;
    add(page);
    if (!isKnown || known || page > takenPages || kept.size >= maxKept) return;
    const before = new Uint8Array(pageSize);
    log.readPage(page, before);
    kept.set(page, before);
  };
  const advance = (): void => {
    const isComplete = log.advance(addCommitted);
    // Pages that were cut off can come back with other content.
    takenPages = Math.min(takenPages, log.pages());
    if (isComplete) return;
    isKnown = false;
    kept.clear();
  };
  const changes = (): Changes => ({
    changed: changed.size,
    ageMs: changed.size === 0 ? 0 : performance.now() - since,
    isKnown,
  });

  /** Replaces the page by its XOR with what the backup has, if most of it is the same. */
  const toDelta = (page: number, bytes: Uint8Array<ArrayBuffer>): boolean => {
    const before = kept.get(page);
    const count = deltaCounts[page - 1] ?? 0;
    if (!before || count >= maxDeltas) return false;
    xorPage(bytes, before);
    if (isMostlyZero(bytes)) return true;
    xorPage(bytes, before);
    return false;
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
    deltaCounts = grown(deltaCounts, databasePages);
    takenPages = databasePages;
    for (const [i, page] of pages.entries()) {
      changed.delete(page);
      kept.delete(page);
      deltaCounts[page - 1] = deltas[i] === 1 ? (deltaCounts[page - 1] as number) + 1 : 0;
    }
    if (isAll) kept.clear();
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
          deltaCounts = request.deltas;
          takenPages = request.hashes.length;
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

function grown(counts: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(length, counts.length));
  larger.set(counts);
  return larger;
}

function isMostlyZero(bytes: Uint8Array): boolean {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
  let zeros = 0;
  for (const word of words) if (word === 0) zeros++;
  return zeros * 2 > words.length;
}
