/*
 * Reads the write-ahead log of SQLite beside the connection that writes it, in the same thread: which pages its commits changed, and
 * their content. The header of the log's index (`-shm`) says how far the log is valid, and counts the commits.
 *
 * Closing any descriptor of the database or of its index drops the locks that SQLite holds in this process. So they stay open as
 * long as the connection.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** `commits`: a counter of all commits to the database. `salt` changes when the log begins again. */
type LogState = { frames: number; pages: number; commits: number; salt: string };

const indexHeaderBytes = 48;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

export type WriteAheadLog = ReturnType<typeof openWriteAheadLog>;

export function openWriteAheadLog(path: string, pageSize: number) {
  const files = {
    database: openSync(path, 'r'),
    index: openSync(`${path}-shm`, 'r'),
    log: openSync(`${path}-wal`, 'r'),
  };
  const frameBytes = frameHeaderBytes + pageSize;
  const both = Buffer.alloc(indexHeaderBytes * 2);
  const frame = Buffer.alloc(8);
  /** The newest frame of each page in the log. */
  const newest = new Map<number, number>();
  let read: LogState | undefined;

  const state = (): LogState => {
    readSync(files.index, both, 0, both.length, 0);
    const header = both.subarray(0, indexHeaderBytes);
    // SQLite writes two copies; only this thread writes them.
    if (header[12] === 0 || !header.equals(both.subarray(indexHeaderBytes)))
      throw new Error('the index of the write-ahead log is not in use');
    return {
      commits: header.readUInt32LE(8),
      frames: header.readUInt32LE(16),
      pages: header.readUInt32LE(20) || Math.ceil(fstatSync(files.database).size / pageSize),
      salt: header.toString('hex', 32, 40),
    };
  };

  const readFully = (file: number, target: Uint8Array, at: number): void => {
    let done = 0;
    while (done < target.length) {
      const count = readSync(file, target, done, target.length - done, at + done);
      // SQLite never writes the page of its lock bytes, which may be the last one.
      if (count === 0) return void target.fill(0, done);
      done += count;
    }
  };

  return {
    /** @param onChanged called while `readPage` reads the page as before the commit @returns whether every commit was seen */
    advance(onChanged: (page: number) => void): boolean {
      const now = state();
      const isSameLog = read?.salt === now.salt && read.frames <= now.frames;
      if (!isSameLog) newest.clear();
      let commits = 0;
      for (let number = isSameLog ? (read?.frames ?? 0) + 1 : 1; number <= now.frames; number++) {
        readFully(files.log, frame, logHeaderBytes + (number - 1) * frameBytes);
        const page = frame.readUInt32BE(0);
        if (frame.readUInt32BE(4) !== 0) commits++;
        onChanged(page);
        newest.set(page, number);
      }
      const isComplete = read !== undefined && (read.commits + commits) >>> 0 === now.commits;
      read = now;
      return isComplete;
    },

    /** The length of the log in frames, and of the database in pages, as of the last `advance`. */
    frames: (): number => read?.frames ?? 0,
    pages: (): number => read?.pages ?? 0,

    /** The content of a page as of the last `advance`, which must come after the last commit and checkpoint. */
    readPage(page: number, target: Uint8Array): void {
      const number = newest.get(page);
      if (number === undefined) readFully(files.database, target, (page - 1) * pageSize);
      else readFully(files.log, target, logHeaderBytes + (number - 1) * frameBytes + frameHeaderBytes);
    },

    isCurrent: (): boolean =>
      (['', '-shm', '-wal'] as const).every((suffix, i) => {
        const file = [files.database, files.index, files.log][i] as number;
        return statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.ino === fstatSync(file).ino;
      }),

    /** Only after the last connection was closed. */
    close(): void {
      for (const file of Object.values(files)) closeSync(file);
    },
  };
}
