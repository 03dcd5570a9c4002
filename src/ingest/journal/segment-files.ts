/*
 * The files of the capture journal. A segment is filled with zeros and synced before use, so that writing a group changes no file
 * system metadata; it is reused once all its groups are rows. Its first 4096 bytes identify its database and the groups that it may
 * contain. Spare segments are also a reserve: removing them frees space for filing on a full disk.
 */
import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  write,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { syncDirectory } from '../../db/files/publish-file.ts';
import { alignedBytes, groupAlignment, segmentNonceBytes } from './group.ts';

const databaseIdBytes = 16;
const magic = Buffer.from('HKTJSEG1');
/** Byte offsets in the header, after the magic. */
const at = { checksum: 8, generation: 16, firstGroup: 24, nonce: 32, databaseId: 40, end: 56 } as const;
const zeros = Buffer.alloc(1 << 20);
const namePattern = /^(\d{8,})\.segment$/;

/** A segment that an earlier process wrote. `firstGroup`: groups from this number on are void in earlier segments. */
export type StoredSegment = {
  path: string;
  generation: number;
  firstGroup: number;
  nonce: Buffer;
  databaseId: Buffer;
};

/** A segment that is being written. `file`: its descriptor. */
export type OpenSegment = { path: string; nonce: Uint8Array; bytes: number; file: number };

/** With O_DSYNC, a write is on disk when it returns. Windows has no such flag, so each write is followed by a sync there. */
const syncedWrites = constants.O_DSYNC as number | undefined;

// With descriptors, because a FileHandle that is garbage-collected before it is closed throws an error.
const [writeSome, syncData, sync] = [promisify(write), promisify(fdatasync), promisify(fsync)];

/** Writes all bytes to the disk. @throws the file system's error; then the state of the range is unknown */
export async function writeSynced(file: number, bytes: Uint8Array, position: number): Promise<void> {
  await writeAll(file, bytes, position);
  if (syncedWrites === undefined) await syncData(file);
}

async function writeAll(file: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await writeSome(file, bytes, written, bytes.length - written, position + written);
    if (bytesWritten === 0) throw Object.assign(new Error('the write stored no bytes'), { code: 'ENOSPC' });
    written += bytesWritten;
  }
}

export type SegmentFiles = ReturnType<typeof createSegmentFiles>;

/** @param directory is created with the first segment */
export function createSegmentFiles({
  directory,
  databaseId,
  segmentBytes,
  random,
  syncNames = syncDirectory,
  onDamaged = () => {},
}: {
  directory: string;
  databaseId: Uint8Array;
  segmentBytes: number;
  random: (length: number) => Uint8Array;
  syncNames?: (directory: string) => Promise<void>;
  /** Called after a segment with an unreadable header was moved aside. */
  onDamaged?: (movedTo: string) => void;
}) {
  const spares: string[] = [];
  let lastGeneration = 0;
  let lastName = 0;
  let making: Promise<void> | undefined;
  let isDirectorySynced = false;

  const namesInDirectory = (): string[] => {
    try {
      return readdirSync(directory).filter(name => namePattern.test(name));
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return [];
      throw error;
    }
  };

  /** Syncs the parent once per process: an earlier process may have ended before it did so. */
  const makeDirectory = async (): Promise<void> => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (isDirectorySynced) return;
    await syncNames(dirname(directory));
    isDirectorySynced = true;
  };

  /** Creates a file of zeros that is completely on disk. @throws the file system's error, after removing the file */
  const create = async (bytes: number): Promise<string> => {
    await makeDirectory();
    const path = join(directory, `${String(++lastName).padStart(8, '0')}.segment`);
    const file = openSync(path, 'wx', 0o600);
    try {
      for (let at = 0; at < bytes; at += zeros.length)
        await writeAll(file, zeros.subarray(0, Math.min(zeros.length, bytes - at)), at);
      await sync(file);
      await syncNames(directory);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    return path;
  };

  const writeHeader = async (file: number, nonce: Uint8Array, firstGroup: number): Promise<void> => {
    const header = Buffer.alloc(groupAlignment);
    header.set(magic);
    header.writeUIntLE(++lastGeneration, at.generation, 6);
    header.writeUIntLE(firstGroup, at.firstGroup, 6);
    header.set(nonce, at.nonce);
    header.set(databaseId, at.databaseId);
    header.writeUInt32LE(crc32(header.subarray(at.generation, at.end)), at.checksum);
    await writeSynced(file, header, 0);
  };

  /** Reads the headers of all segments, oldest first. Removes segments that were never used. */
  const readStored = (): StoredSegment[] => {
    const stored: StoredSegment[] = [];
    for (const name of namesInDirectory()) {
      lastName = Math.max(lastName, Number(namePattern.exec(name)?.[1]));
      const path = join(directory, name);
      const header = readStart(path);
      const segment = parseHeader(path, header);
      if (!segment) {
        // An unused segment is all zeros, and too short if its creation was interrupted. A damaged one may hold the only copy of deliveries.
        if (header.every(byte => byte === 0)) rmSync(path, { force: true });
        else {
          const aside = `${path}.damaged`;
          renameSync(path, aside);
          onDamaged(aside);
        }
        continue;
      }
      lastGeneration = Math.max(lastGeneration, segment.generation);
      stored.push(segment);
    }
    return stored.sort((a, b) => a.generation - b.generation);
  };

  /** Creates a spare unless there is one. */
  const prepareSpare = (): Promise<void> => {
    if (spares.length > 0) return Promise.resolve();
    making ??= create(segmentBytes)
      .then(path => void spares.push(path))
      .finally(() => {
        making = undefined;
      });
    return making;
  };

  return {
    readStored,
    prepareSpare,

    /** Opens a segment that has space for a group of `minBytes`. @throws the file system's error */
    async openNext(minBytes: number, firstGroup: number): Promise<OpenSegment> {
      const needed = groupAlignment + alignedBytes(minBytes);
      const isOversized = needed > segmentBytes;
      if (!isOversized) await prepareSpare();
      const spare = isOversized ? undefined : spares.pop();
      // A segment for one oversized group is not reused, so filling it with zeros would only double the bytes written.
      const path = spare ?? (await create(isOversized ? 0 : segmentBytes));
      const bytes = Math.max(needed, segmentBytes);
      const file = openSync(path, constants.O_WRONLY | (syncedWrites ?? 0));
      try {
        const nonce = random(segmentNonceBytes);
        await writeHeader(file, nonce, firstGroup);
        return { path, nonce, bytes, file };
      } catch (error) {
        closeSync(file);
        rmSync(path, { force: true });
        throw error;
      }
    },

    /** Call when all groups of the segment are rows. @param hasFailed a write to it failed, so it must not be reused */
    release(path: string, hasFailed: boolean): void {
      const isSpare = !hasFailed && spares.length < maxSpares && statSync(path).size === segmentBytes;
      if (isSpare) spares.push(path);
      else rmSync(path, { force: true });
    },

    spares: (): readonly string[] => spares,

    /** Frees disk space for filing. Never throws. @returns whether any spare was removed */
    removeSpares(): boolean {
      const found = spares.splice(0);
      for (const path of found) {
        try {
          rmSync(path, { force: true });
        } catch {
          // For example on a read-only file system. The spare stays usable.
          spares.push(path);
        }
      }
      return spares.length < found.length;
    },

    /** Removes all segments, and the directory if it is empty. */
    async removeAll(): Promise<void> {
      await making?.catch(() => {});
      spares.length = 0;
      for (const name of namesInDirectory()) rmSync(join(directory, name), { force: true });
      isDirectorySynced = false;
      try {
        rmdirSync(directory);
      } catch {
        // The directory has other files, or does not exist.
      }
    },
  };
}

/** The most spare segments that are kept; further ones are removed after a burst. */
const maxSpares = 2;

/** The first 4096 bytes, padded with zeros if the file is shorter. */
function readStart(path: string): Buffer {
  const header = Buffer.alloc(groupAlignment);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, groupAlignment, 0);
  } finally {
    closeSync(file);
  }
  return header;
}

function parseHeader(path: string, header: Buffer): StoredSegment | undefined {
  if (!header.subarray(0, magic.length).equals(magic)) return undefined;
  if (crc32(header.subarray(at.generation, at.end)) !== header.readUInt32LE(at.checksum)) return undefined;
  return {
    path,
    generation: header.readUIntLE(at.generation, 6),
    firstGroup: header.readUIntLE(at.firstGroup, 6),
    nonce: Buffer.from(header.subarray(at.nonce, at.nonce + segmentNonceBytes)),
    databaseId: Buffer.from(header.subarray(at.databaseId, at.databaseId + databaseIdBytes)),
  };
}
