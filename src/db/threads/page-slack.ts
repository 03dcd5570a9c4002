/*
 * Overwrites with zeros what SQLite leaves behind in the pages of a database file: deleted cells, free pages, and the rest of overflow
 * chains. Cells and the structures that SQLite reads stay as they are (https://www.sqlite.org/fileformat2.html), so a page that SQLite
 * has in memory stays valid. A page that does not follow the format is not changed.
 */

/** Reads a page. The result may be changed. */
export type ReadPage = (page: number) => Buffer;
type ChangedPages = Map<number, Buffer>;

type FileFormat = { pageBytes: number; usableBytes: number; firstTrunk: number; hasPointerMap: boolean };

export function readFormat(firstPage: Buffer): FileFormat {
  const size = firstPage.readUInt16BE(16);
  const pageBytes = size === 1 ? 65536 : size;
  return {
    pageBytes,
    usableBytes: pageBytes - (firstPage[20] ?? 0),
    firstTrunk: firstPage.readUInt32BE(32),
    hasPointerMap: firstPage.readUInt32BE(52) > 0,
  };
}

const fileHeaderBytes = 100;
const pendingByte = 0x40000000;

/** The page of the lock, which has no content. */
const lockPage = ({ pageBytes }: FileFormat): number => pendingByte / pageBytes + 1;

function isPointerMap(page: number, format: FileFormat): boolean {
  if (!format.hasPointerMap || page < 2) return false;
  const group = Math.floor(format.usableBytes / 5) + 1;
  const map = Math.floor((page - 2) / group) * group + 2;
  return page === (map === lockPage(format) ? map + 1 : map);
}

/** The free pages: trunks list the others. @throws RangeError if the list is damaged */
function readFreePages(
  { firstTrunk, usableBytes }: FileFormat,
  read: ReadPage,
  isWanted: (page: number) => boolean,
): { trunks: Set<number>; leaves: Set<number> } {
  const trunks = new Set<number>();
  const leaves = new Set<number>();
  for (let trunk = firstTrunk; trunk !== 0; ) {
    if (trunks.has(trunk)) throw new RangeError('the list of free pages is damaged');
    trunks.add(trunk);
    const page = read(trunk);
    const count = page.readUInt32BE(4);
    if (count > usableBytes / 4 - 2) throw new RangeError('the list of free pages is damaged');
    for (let i = 0; i < count; i++) {
      const leaf = page.readUInt32BE(8 + 4 * i);
      if (isWanted(leaf)) leaves.add(leaf);
    }
    trunk = page.readUInt32BE(0);
  }
  return { trunks, leaves };
}

/** Clears pages up to before `to`, and the ends of their overflow chains. @returns `unreadable`: pages that have another format */
export function clearPages(
  { from, to }: { from: number; to: number },
  format: FileFormat,
  read: ReadPage,
): { changed: ChangedPages; unreadable: number } {
  const { trunks, leaves } = readFreePages(format, read, page => page >= from && page < to);
  const changed: ChangedPages = new Map();
  let unreadable = 0;
  const zero = (number: number, page: Buffer, start: number, end: number): void => {
    for (let i = start; i < end; i++)
      if (page[i] !== 0) {
        page.fill(0, i, end);
        changed.set(number, page);
        return;
      }
  };
  const readChanged = (number: number): Buffer => changed.get(number) ?? read(number);
  for (let number = from; number < to; number++) {
    if (number === lockPage(format) || isPointerMap(number, format)) continue;
    const page = readChanged(number);
    if (leaves.has(number)) zero(number, page, 0, format.usableBytes);
    else if (trunks.has(number)) zero(number, page, 8 + 4 * page.readUInt32BE(4), format.usableBytes);
    else {
      const layout = layoutOf(page, number === 1 ? fileHeaderBytes : 0, format.usableBytes);
      // Anything else is a page of an overflow chain, which its cell leads to.
      if (layout === 'other') continue;
      if (layout === 'damaged') {
        unreadable++;
        continue;
      }
      for (const [start, end] of gaps(layout.used, format.usableBytes)) zero(number, page, start, end);
      for (const { first, bytes } of layout.overflows) {
        const end = endOfChain(first, bytes, format, readChanged);
        if (!end) unreadable++;
        else zero(end.page, end.content, end.used, format.usableBytes);
      }
    }
  }
  return { changed, unreadable };
}

type Range = readonly [start: number, end: number];
/** `overflows`: chains of pages with the rest of a cell, and the size of that rest. */
type Layout = { used: Range[]; overflows: { first: number; bytes: number }[] };

const kinds: Record<number, { isLeaf: boolean; isTable: boolean }> = {
  2: { isLeaf: false, isTable: false },
  5: { isLeaf: false, isTable: true },
  10: { isLeaf: true, isTable: false },
  13: { isLeaf: true, isTable: true },
};

function layoutOf(page: Buffer, headerAt: number, usableBytes: number): Layout | 'other' | 'damaged' {
  const kind = kinds[page[headerAt] ?? 0];
  if (!kind) return 'other';
  const cells = page.readUInt16BE(headerAt + 3);
  const pointersAt = headerAt + (kind.isLeaf ? 8 : 12);
  const contentAt = pointersAt + 2 * cells;
  if (contentAt > usableBytes) return 'damaged';
  const layout: Layout = { used: [[0, contentAt]], overflows: [] };
  for (let i = 0; i < cells; i++) {
    const start = page.readUInt16BE(pointersAt + 2 * i);
    if (start < contentAt || start + 4 > usableBytes) return 'damaged';
    const end = readCell(page, start, kind, usableBytes, layout);
    if (end > usableBytes) return 'damaged';
    layout.used.push([start, end]);
  }
  let last = 0;
  for (let block = page.readUInt16BE(headerAt + 1); block !== 0; block = page.readUInt16BE(block)) {
    if (block <= last || block + 4 > usableBytes) return 'damaged';
    last = block;
    // The place of the next free block, and the size of this one.
    layout.used.push([block, block + 4]);
  }
  return layout;
}

/** @returns the end of the cell; a number beyond the page if it is damaged */
function readCell(
  page: Buffer,
  start: number,
  { isLeaf, isTable }: { isLeaf: boolean; isTable: boolean },
  usableBytes: number,
  layout: Layout,
): number {
  let at = isLeaf ? start : start + 4;
  if (isTable && !isLeaf) return Math.max(start + 4, readNumber(page, at).end);
  const payload = readNumber(page, at);
  at = payload.end;
  if (isTable) at = readNumber(page, at).end;
  const smallest = Math.floor(((usableBytes - 12) * 32) / 255) - 23;
  const largest = isTable ? usableBytes - 35 : Math.floor(((usableBytes - 12) * 64) / 255) - 23;
  if (payload.value <= largest) return Math.max(start + 4, at + payload.value);
  const fitting = smallest + ((payload.value - smallest) % (usableBytes - 4));
  const local = fitting <= largest ? fitting : smallest;
  const end = at + local + 4;
  if (end <= usableBytes) layout.overflows.push({ first: page.readUInt32BE(at + local), bytes: payload.value - local });
  return end;
}

/** A number of one to nine bytes. */
function readNumber(page: Buffer, at: number): { value: number; end: number } {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = page[at + i] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) return { value, end: at + i + 1 };
  }
  return { value: value * 256 + (page[at + 8] ?? 0), end: at + 9 };
}

function* gaps(used: Range[], usableBytes: number): Generator<Range> {
  used.sort(([a], [b]) => a - b);
  let at = 0;
  for (const [start, end] of used) {
    if (start > at) yield [at, start];
    at = Math.max(at, end);
  }
  if (at < usableBytes) yield [at, usableBytes];
}

/** The last page of an overflow chain, and how many of its bytes are used; undefined if the chain is damaged. */
function endOfChain(
  first: number,
  bytes: number,
  { usableBytes }: FileFormat,
  read: ReadPage,
): { page: number; content: Buffer; used: number } | undefined {
  const perPage = usableBytes - 4;
  let page = first;
  for (let rest = bytes; page !== 0; rest -= perPage) {
    const content = read(page);
    const next = content.readUInt32BE(0);
    if (rest <= perPage) return next === 0 ? { page, content, used: 4 + rest } : undefined;
    page = next;
  }
  return undefined;
}
