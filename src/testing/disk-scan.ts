/*
 * Looks for texts in every file of a directory, as a person with the disk would: plain, base64 in every alignment, base64url, hex, UTF-16,
 * percent-encoded, escaped as JSON; in the raw bytes, and in every zstd frame of the raw bytes, which covers free pages and the log.
 * Frames that go over several pages are found by reading the chains of pages, and by reading the cells of the database.
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { constants, zstdDecompressSync } from 'node:zlib';
import Database from 'libsql';

/** `form`: how the text is written. `in`: the bytes that have it. */
export type Hit = { file: string; text: string; form: string; in: string };

type Needle = { text: string; form: string; bytes: Buffer };

function needlesOf(text: string): Needle[] {
  const utf8 = Buffer.from(text);
  const base64 = [0, 1, 2].flatMap(shift => {
    const whole = Buffer.concat([Buffer.alloc(shift), utf8]);
    // Only the characters that do not depend on what is around the text.
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor((whole.length * 8) / 6);
    return (['base64', 'base64url'] as const).map(form => [form, whole.toString(form).slice(from, to)] as const);
  });
  const percent = (keep: RegExp): string =>
    [...utf8]
      .map(byte =>
        keep.test(String.fromCharCode(byte))
          ? String.fromCharCode(byte)
          : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      )
      .join('');
  const escaped = (keep: RegExp): string =>
    [...text]
      .map(one =>
        keep.test(one) ? one : [...one].map(c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
      )
      .join('');
  const forms: (readonly [string, string | Buffer])[] = [
    ['plain', utf8],
    ...base64,
    ['hex', utf8.toString('hex')],
    ['hex', utf8.toString('hex').toUpperCase()],
    ['UTF-16LE', Buffer.from(text, 'utf16le')],
    ['UTF-16BE', Buffer.from(text, 'utf16le').swap16()],
    ['percent', percent(/[\w.~-]/)],
    ['percent', percent(/[\w.~-]/).toLowerCase()],
    ['percent', percent(/(?!)/)],
    ['form', percent(/[\w.~ -]/).replaceAll(' ', '+')],
    ['JSON', JSON.stringify(text).slice(1, -1)],
    ['JSON', escaped(/[\w.@: -]/)],
    ['JSON', escaped(/(?!)/)],
  ];
  const seen = new Set<string>();
  return forms.flatMap(([form, written]) => {
    const bytes = Buffer.from(written as string);
    const key = bytes.toString('latin1');
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ text, form, bytes }];
  });
}

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** What the complete frames in these bytes contain. */
function* framesIn(bytes: Buffer): Generator<Buffer> {
  for (let at = bytes.indexOf(zstdMagic); at >= 0; at = bytes.indexOf(zstdMagic, at + 1)) {
    const plain = unpackFrame(bytes.subarray(at, at + maxFrameBytes));
    if (plain) yield plain;
  }
}

const maxFrameBytes = 2 << 20;

/** @param bytes the frame, and anything after it */
function unpackFrame(bytes: Buffer): Buffer | undefined {
  try {
    const plain = zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush });
    return plain.length > 0 ? plain : undefined;
  } catch {
    return undefined;
  }
}

const lowered = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  for (let i = 0; i < copy.length; i++) {
    const byte = copy[i] as number;
    if (byte >= 65 && byte <= 90) copy[i] = byte + 32;
  }
  return copy;
};

/** Forms in which the case of the text can be changed without changing its encoding. */
const anyCase = new Set(['plain', 'UTF-16LE', 'UTF-16BE', 'hex', 'percent', 'form', 'JSON']);

function createFinder(texts: readonly string[]) {
  const needles = texts.flatMap(needlesOf).map(needle => ({
    ...needle,
    lower: anyCase.has(needle.form) ? lowered(needle.bytes) : undefined,
  }));
  return (file: string, bytes: Buffer, where: string): Hit[] => {
    const lower = lowered(bytes);
    return needles.flatMap(({ text, form, bytes: exact, lower: low }) =>
      (low ? lower.includes(low) : bytes.includes(exact)) ? [{ file, text, form, in: where }] : [],
    );
  };
}

/** All files, by path. */
function filesIn(directory: string): string[] {
  return readdirSync(directory).flatMap(name => {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return filesIn(path);
    // The extracted library of libSQL is not data; its names are too short to hide anything.
    return found?.isFile() && !name.endsWith('.node') ? [path] : [];
  });
}

/** Hits in the raw bytes of the files; may run while a server writes them. */
export function scanFiles(directory: string, texts: readonly string[]): Hit[] {
  const find = createFinder(texts);
  return filesIn(directory).flatMap(path => {
    const file = relative(directory, path);
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch {
      // The server has removed it in the meantime.
      return [];
    }
    const hits = find(file, bytes, 'bytes');
    for (const plain of framesIn(bytes)) hits.push(...find(file, plain, 'zstd'));
    for (const plain of framesOverPages(bytes)) hits.push(...find(file, plain, 'zstd over pages'));
    return hits;
  });
}

const pageBytes = 16384;
const isDatabase = (bytes: Buffer): boolean => bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3';
const isLog = (bytes: Buffer): boolean => bytes.length > 32 && bytes.readUInt32BE(0) >>> 1 === 0x377f0682 >>> 1;

/** The pages of a database, and each version of a page in a log, by number; of a log the last version. */
function pagesOf(bytes: Buffer): Map<number, Buffer> {
  const pages = new Map<number, Buffer>();
  if (isDatabase(bytes))
    for (let at = 0; at + pageBytes <= bytes.length; at += pageBytes)
      pages.set(at / pageBytes + 1, bytes.subarray(at, at + pageBytes));
  else if (isLog(bytes))
    for (let at = 32; at + 24 + pageBytes <= bytes.length; at += 24 + pageBytes)
      pages.set(bytes.readUInt32BE(at), bytes.subarray(at + 24, at + 24 + pageBytes));
  return pages;
}

/** Frames that go over several pages, also of deleted cells: the number of the next page follows the part in the first page. */
function* framesOverPages(bytes: Buffer): Generator<Buffer> {
  const pages = pagesOf(bytes);
  for (const [number, content] of pages)
    for (let at = content.indexOf(zstdMagic); at >= 0; at = content.indexOf(zstdMagic, at + 1))
      for (let end = at + 8; end + 4 <= pageBytes; end++) {
        const next = content.readUInt32BE(end);
        if (next < 2 || next === number || !pages.has(next)) continue;
        const parts = [content.subarray(at, end)];
        for (let one = next; pages.has(one) && parts.length < 40; one = pages.get(one)?.readUInt32BE(0) ?? 0)
          parts.push((pages.get(one) as Buffer).subarray(4));
        const plain = unpackFrame(Buffer.concat(parts));
        if (plain) yield plain;
      }
}

/** Hits in the cells of the databases in a directory that no server uses, with their compressed contents. */
export function scanCells(directory: string, texts: readonly string[]): Hit[] {
  const find = createFinder(texts);
  return filesIn(directory)
    .filter(path => existsSync(path) && isDatabase(readFileSync(path).subarray(0, 16)))
    .flatMap(path => {
      const database = new Database(path, { readonly: true });
      const file = relative(directory, path);
      try {
        const tables = database
          .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
          .all() as { name: string }[];
        return tables.flatMap(({ name }) =>
          (database.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[]).flatMap(row =>
            Object.entries(row).flatMap(([column, value]) => {
              const bytes =
                typeof value === 'string'
                  ? Buffer.from(value)
                  : value instanceof Uint8Array
                    ? Buffer.from(value)
                    : undefined;
              if (!bytes) return [];
              const where = `${name}.${column}`;
              return [
                ...find(file, bytes, where),
                ...[...framesIn(bytes)].flatMap(plain => find(file, plain, `${where} (zstd)`)),
              ];
            }),
          ),
        );
      } finally {
        database.close();
      }
    });
}

/** Each place once, as a line. */
export const describeHits = (hits: readonly Hit[]): string[] =>
  [...new Set(hits.map(({ file, text, form, in: where }) => `${file}: ${text} as ${form} in ${where}`))].sort();
