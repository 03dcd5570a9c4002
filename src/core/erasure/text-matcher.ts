/*
 * Finds a text in what was captured or kept, in any case, however it is written: escapes of JSON and XML, percent, form and
 * quoted-printable encoding, base64, hex and compression are undone, also several of them. Reads a long content in windows,
 * between which the caller can do other work.
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { asBuffer } from '../encoding/buffer.ts';
import { unescapeXml } from '../encoding/xml.ts';

/** Whether the bytes have the text. Each step is a few milliseconds at most. */
export type TextMatcher = (bytes: Uint8Array) => Generator<undefined, boolean>;

const windowBytes = 64 << 10;
/** The longest way to write the text: each of 200 characters as several escapes. */
const overlapBytes = 8 << 10;
const maxDepth = 4;
const maxTexts = 32;
const maxUnpackedBytes = 64 << 20;
const maxUnpackedInText = 4 << 20;

/** @param hash what redaction wrote in place of the text; it is compared as it is */
export function createTextMatcher(text: string, hash: string): TextMatcher {
  const wanted = text.toLowerCase();
  const isAscii = Buffer.byteLength(text) === text.length;
  const isLatin1 = !isAscii && [...text].every(one => one.charCodeAt(0) < 256);
  // Latin-1 is decoded faster, and is the same for a text of ASCII alone.
  const charset = isAscii ? 'latin1' : 'utf8';
  const decode = createDecoder(charset, wanted.includes(' '), Math.min(Buffer.byteLength(text), hash.length));

  const isIn = (start: string, isCut: boolean): boolean => {
    const texts = [start];
    for (let i = 0, depth = 0, nextDepthAt = 1; i < texts.length; i++) {
      if (i === nextDepthAt) [depth, nextDepthAt] = [depth + 1, texts.length];
      const one = texts[i] as string;
      if (one.toLowerCase().includes(wanted) || one.includes(hash)) return true;
      if (depth === maxDepth) continue;
      for (const decoded of decode(one, isCut && i === 0))
        if (texts.length < maxTexts && decoded.length >= wanted.length && !texts.includes(decoded)) texts.push(decoded);
    }
    return false;
  };

  return function* matches(given): Generator<undefined, boolean> {
    const contents = [asBuffer(given), ...unpacked(asBuffer(given))];
    for (const content of contents)
      for (let at = 0; at === 0 || at < content.length; at += windowBytes) {
        const start = Math.max(0, at - overlapBytes);
        const window = content.subarray(start, at + windowBytes);
        if (isIn(window.toString(charset), start > 0)) return true;
        if (isLatin1 && isIn(window.toString('latin1'), start > 0)) return true;
        for (const wide of wideTexts(window)) if (isIn(wide, false)) return true;
        yield;
      }
    return false;
  };
}

/** What a text may mean. `isCut`: it may begin in the middle of a word. */
function createDecoder(charset: 'latin1' | 'utf8', hasSpace: boolean, minBytes: number) {
  const base64Words = new RegExp(`[A-Za-z0-9+/_-]{${Math.floor((minBytes * 4) / 3)},}`, 'g');
  const hexWords = new RegExp(`[0-9a-fA-F]{${minBytes * 2},}`, 'g');
  const decodeRuns = (text: string, runs: RegExp, sign: string): string =>
    text.replace(runs, run => Buffer.from(run.replaceAll(sign, ''), 'hex').toString(charset));
  const decodePercent = (text: string): string => decodeRuns(text, /(?:%[0-9a-fA-F]{2})+/g, '%');
  const decodeQuotedPrintable = (text: string): string =>
    decodeRuns(text.replace(/=\r?\n/g, ''), /(?:=[0-9a-fA-F]{2})+/g, '=');
  const decodeHex = (words: readonly string[]): string =>
    words
      .flatMap(word => [word, word.slice(1)].map(one => Buffer.from(one, 'hex').toString(charset)))
      .filter(isMostlyAscii)
      .join('\n');

  /** The decoded words, of which a text that is not base64 gives only noise. */
  const decodeBase64 = (text: string, isCut: boolean): string => {
    const words: string[] = text.match(base64Words) ?? [];
    if (text.includes('\n') && lineOfBase64.test(text))
      words.push(...(text.replaceAll(endOfBase64Line, '').match(base64Words) ?? []));
    const [first] = words;
    if (isCut && first !== undefined && text.startsWith(first))
      words.push(first.slice(1), first.slice(2), first.slice(3));
    return words
      .flatMap(word => {
        const bytes = Buffer.from(word, 'base64');
        return [bytes, ...unpackedByMark(bytes, maxUnpackedInText)].map(one => one.toString(charset));
      })
      .filter(isText)
      .join('\n');
  };

  return function* decodings(text: string, isCut: boolean): Generator<string> {
    if (text.includes('\\')) yield unescapeJson(text);
    if (text.includes('%')) yield decodePercent(text);
    if (hasSpace && text.includes('+')) yield decodePercent(text.replaceAll('+', ' '));
    yield decodeBase64(text, isCut);
    if (charset === 'utf8' && /[\u0080-\u00ff]{2}/.test(text)) yield readAsUtf8(text);
    if (/&(?:#|amp;|lt;|gt;|quot;|apos;)/.test(text)) yield unescapeXml(text);
    if (/=(?:[0-9A-Fa-f]{2}|\r?\n)/.test(text)) yield decodeQuotedPrintable(text);
    const hex = text.match(hexWords);
    if (hex) yield decodeHex(hex);
  };
}

const named: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const unescapeJson = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, one: string) =>
    code === undefined ? (named[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** UTF-8 that was read as Latin-1, as header values are. */
const readAsUtf8 = (text: string): string =>
  text.replace(/[\u0080-\u00ff]{2,}/g, run => Buffer.from(run, 'latin1').toString('utf8'));

/** Base64 in emails has lines of 76 characters, in PEM of 64. */
const lineOfBase64 = /[A-Za-z0-9+/]{60}\r?\n[A-Za-z0-9+/]/;
const endOfBase64Line = /(?<=[A-Za-z0-9+/]{60})\r?\n(?=[A-Za-z0-9+/])/g;

/** Most words that are not base64 give bytes that are no text. */
const isText = (decoded: string): boolean => (decoded.match(noise)?.length ?? 0) * 10 <= decoded.length;
const noise = /[\p{Cc}\ufffd]/gu;

const isMostlyAscii = (decoded: string): boolean => (decoded.match(/[\t\n\r -~]/g)?.length ?? 0) * 2 > decoded.length;

/** UTF-16, if the bytes have the zeros of Latin letters. */
function* wideTexts(window: Buffer): Generator<string> {
  if (!window.includes(0)) return;
  for (const start of [0, 1]) {
    const even = Buffer.from(window.subarray(start, start + ((window.length - start) & ~1)));
    yield even.toString('utf16le');
    yield even.swap16().toString('utf16le');
  }
}

/** The content of compressed bytes. */
function* unpacked(bytes: Buffer): Generator<Buffer> {
  if (wayByMark(bytes)) yield* unpackedByMark(bytes, maxUnpackedBytes);
  // The others have no mark of their own: texts are not tried.
  else if (bytes.length > 8 && isMostlyBinary(bytes.subarray(0, 256)))
    for (const unpack of [inflateRawSync, brotliDecompressSync]) yield* tried(unpack, bytes, maxUnpackedBytes);
}

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

function wayByMark(bytes: Buffer): Unpack | undefined {
  if (bytes.length < 5) return undefined;
  if (bytes.readUInt16BE(0) === 0x1f8b) return gunzipSync;
  if (((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0) return inflateSync;
  return bytes.readUInt32LE(0) === 0xfd2fb528 ? zstdDecompressSync : undefined;
}

function unpackedByMark(bytes: Buffer, maxBytes: number): Buffer[] {
  const unpack = wayByMark(bytes);
  return unpack ? tried(unpack, bytes, maxBytes) : [];
}

function tried(unpack: Unpack, bytes: Buffer, maxOutputLength: number): Buffer[] {
  try {
    return [unpack(bytes, { maxOutputLength })];
  } catch {
    // It only looked like it.
    return [];
  }
}

function isMostlyBinary(bytes: Buffer): boolean {
  let count = 0;
  for (const byte of bytes) if (byte > 126 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) count++;
  return count * 4 > bytes.length;
}
