/*
 * Checks and replaces the code signature in a macOS executable. macOS kills a process whose pages do not match the hashes in its
 * signature, and Bun leaves the runtime's old signature in executables for Intel. Layout: XNU's `cs_blobs.h`, `loader.h`.
 */
import { createHash } from 'node:crypto';

const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const MAGIC_SUPER_BLOB = 0xfade0cc0;
const MAGIC_CODE_DIRECTORY = 0xfade0c02;
const CODE_DIRECTORY_VERSION = 0x20400;
const CODE_DIRECTORY_BYTES = 88;
const SUPER_BLOB_BYTES = 20;
const FLAG_AD_HOC = 0x2;
const HASH_SHA256 = 2;
const HASH_BYTES = 32;
const PAGE_SHIFT = 12;
const EXEC_SEGMENT_MAIN = 1n;

type Layout = {
  /** Offsets of the load command and of the data that it refers to. */
  command: number;
  start: number;
  size: number;
  linkedit: number;
  text: { offset: bigint; size: bigint };
};

/** Whether every page of `file` matches its signature. @throws if it is not a 64-bit Mach-O file with a signature */
export function isSigned(file: Buffer): boolean {
  const { start } = layoutOf(file);
  if (start + SUPER_BLOB_BYTES > file.length || file.readUInt32BE(start) !== MAGIC_SUPER_BLOB) return false;
  const directory = file.subarray(start + file.readUInt32BE(start + 16));
  if (directory.readUInt32BE(0) !== MAGIC_CODE_DIRECTORY || directory[37] !== HASH_SHA256) return false;
  const pageHashes = directory.readUInt32BE(16);
  const pages = directory.readUInt32BE(28);
  const limit = directory.readUInt32BE(32);
  if (limit !== start) return false;
  const hashes = hashPages(file.subarray(0, limit), 1 << (directory[39] ?? PAGE_SHIFT));
  return (
    hashes.length === pages * HASH_BYTES && hashes.equals(directory.subarray(pageHashes, pageHashes + hashes.length))
  );
}

/**
 * Returns the executable with an ad hoc signature. macOS needs one to start it; it does not identify the author.
 *
 * @param identifier the program's name in the signature
 * @throws if it is not a 64-bit Mach-O file with a signature at its end
 */
export function signAdHoc(file: Buffer, identifier: string): Buffer {
  const { command, start, size, linkedit, text } = layoutOf(file);
  if (start + size !== file.length) throw new Error('the signature is not at the end of the file');
  const name = Buffer.from(`${identifier}\0`);
  const pages = Math.ceil(start / (1 << PAGE_SHIFT));
  const pageHashes = CODE_DIRECTORY_BYTES + name.length;
  const directoryBytes = pageHashes + pages * HASH_BYTES;
  const signature = Buffer.alloc((SUPER_BLOB_BYTES + directoryBytes + 15) & ~15);
  writeWords(signature, 0, [MAGIC_SUPER_BLOB, SUPER_BLOB_BYTES + directoryBytes, 1, 0, SUPER_BLOB_BYTES]);

  const code = Buffer.from(file.subarray(0, start));
  code.writeUInt32LE(signature.length, command + 12);
  // The last segment ends where the file ends.
  const linkeditBytes = BigInt(start + signature.length) - code.readBigUInt64LE(linkedit + 40);
  code.writeBigUInt64LE((linkeditBytes + 0x3fffn) & ~0x3fffn, linkedit + 32);
  code.writeBigUInt64LE(linkeditBytes, linkedit + 48);

  const directory = signature.subarray(SUPER_BLOB_BYTES);
  writeWords(directory, 0, [
    MAGIC_CODE_DIRECTORY,
    directoryBytes,
    CODE_DIRECTORY_VERSION,
    FLAG_AD_HOC,
    pageHashes,
    CODE_DIRECTORY_BYTES,
    0,
    pages,
    start,
  ]);
  directory.set([HASH_BYTES, HASH_SHA256, 0, PAGE_SHIFT], 36);
  directory.writeBigUInt64BE(text.offset, 64);
  directory.writeBigUInt64BE(text.size, 72);
  directory.writeBigUInt64BE(EXEC_SEGMENT_MAIN, 80);
  directory.set(name, CODE_DIRECTORY_BYTES);
  directory.set(hashPages(code, 1 << PAGE_SHIFT), pageHashes);
  return Buffer.concat([code, signature]);
}

function hashPages(code: Buffer, pageBytes: number): Buffer {
  const hashes: Buffer[] = [];
  for (let at = 0; at < code.length; at += pageBytes) {
    hashes.push(
      createHash('sha256')
        .update(code.subarray(at, at + pageBytes))
        .digest(),
    );
  }
  return Buffer.concat(hashes);
}

function layoutOf(file: Buffer): Layout {
  const isMachO = file.length > HEADER_BYTES && file.readUInt32LE(0) === 0xfeedfacf;
  const commands = isMachO ? file.readUInt32LE(16) : 0;
  let signature: number | undefined;
  const segments = new Map<string, number>();
  for (let index = 0, at = HEADER_BYTES; index < commands; index++, at += file.readUInt32LE(at + 4)) {
    const kind = file.readUInt32LE(at);
    if (kind === LC_CODE_SIGNATURE) signature = at;
    if (kind === LC_SEGMENT_64) segments.set(file.toString('latin1', at + 8, at + 24).replace(/\0.*$/s, ''), at);
  }
  const text = segments.get('__TEXT');
  const linkedit = segments.get('__LINKEDIT');
  if (signature === undefined || text === undefined || linkedit === undefined)
    throw new Error('not a macOS executable with a signature');
  return {
    command: signature,
    start: file.readUInt32LE(signature + 8),
    size: file.readUInt32LE(signature + 12),
    linkedit,
    text: { offset: file.readBigUInt64LE(text + 40), size: file.readBigUInt64LE(text + 48) },
  };
}

function writeWords(into: Buffer, at: number, words: readonly number[]): void {
  words.forEach((word, index) => {
    into.writeUInt32BE(word, at + 4 * index);
  });
}
