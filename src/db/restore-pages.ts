/* Writes a database file from the pages of a backup, one object at a time, and compares every page with its hash at the end. */
import { type FileHandle, open } from 'node:fs/promises';
import { hashPage, xorPage } from '../core/backup/contents.ts';

/** The pages of one object. `data`: one page after the other; a delta is XORed onto what the file has. */
export type ObjectPages = {
  readonly seq: number;
  readonly pages: Uint32Array;
  readonly isDelta: (record: number) => boolean;
  readonly data: Uint8Array;
};

export type FileState = {
  /** The length of the file in pages, which count from 1. */
  readonly pages: number;
  readonly pageSize: number;
  /** Whether this version of the page is part of the state. */
  readonly needs: (page: number, seq: number) => boolean;
  /** By `hashPage`; undefined for a page that was never in use and is empty. */
  readonly hash: (page: number) => bigint | undefined;
};

const sliceBytes = 4 << 20;

/** @returns the first page that is not what the state says; undefined if all are */
export async function writePages(
  file: string,
  state: FileState,
  objects: AsyncIterable<ObjectPages>,
): Promise<number | undefined> {
  const handle = await open(file, 'r+');
  try {
    for await (const object of objects) await writeObject(handle, state, object);
    await handle.truncate(state.pages * state.pageSize);
    return await findDifference(handle, state);
  } finally {
    await handle.close();
  }
}

async function writeObject(handle: FileHandle, { pageSize, needs }: FileState, object: ObjectPages): Promise<void> {
  const { pages, isDelta, data, seq } = object;
  const isPlain = (record: number): boolean =>
    record < pages.length && !isDelta(record) && needs(pages[record] ?? 0, seq);
  for (let record = 0; record < pages.length; record++) {
    const page = pages[record] ?? 0;
    if (!needs(page, seq)) continue;
    const at = (page - 1) * pageSize;
    const from = record * pageSize;
    if (isDelta(record)) {
      await addDelta(handle, at, data.subarray(from, from + pageSize));
      continue;
    }
    // Pages that follow each other are written at once.
    while (isPlain(record + 1) && pages[record + 1] === (pages[record] ?? 0) + 1) record++;
    await writeAll(handle, data.subarray(from, (record + 1) * pageSize), at);
  }
}

async function addDelta(handle: FileHandle, at: number, delta: Uint8Array): Promise<void> {
  const page = new Uint8Array(delta.length);
  await handle.read(page, 0, page.length, at);
  xorPage(page, delta);
  await writeAll(handle, page, at);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
}

async function findDifference(handle: FileHandle, { pages, pageSize, hash }: FileState): Promise<number | undefined> {
  const atOnce = Math.max(1, Math.floor(sliceBytes / pageSize));
  const slice = new Uint8Array(atOnce * pageSize);
  const empty = new Uint8Array(pageSize);
  for (let first = 1; first <= pages; first += atOnce) {
    const length = Math.min(atOnce, pages - first + 1) * pageSize;
    const { bytesRead } = await handle.read(slice, 0, length, (first - 1) * pageSize);
    if (bytesRead < length) return first;
    for (let at = 0; at < length; at += pageSize) {
      const content = slice.subarray(at, at + pageSize);
      const page = first + at / pageSize;
      const expected = hash(page);
      const isRight = expected === undefined ? Buffer.compare(content, empty) === 0 : hashPage(content) === expected;
      if (!isRight) return page;
    }
  }
  return undefined;
}
