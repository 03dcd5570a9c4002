/*
 * Finds a text in what was captured or kept, in any case, however it is written: escapes of JSON, percent and form encoding, base64
 * and compression are undone, also several of them. Reads a long content in windows, between which the caller can do other work.
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { asBuffer } from '../encoding/buffer.ts';

/** Whether the bytes have the text. Each step is a few milliseconds at most. */
export type TextMatcher = (bytes: Uint8Array) => Generator<undefined, boolean>;

const windowBytes = 64 << 10;
/** The longest way to write the text: each of 200 characters as several escapes. */
const overlapBytes = 8 << 10;
const maxDepth = 4;
const maxTexts = 24;
const maxUnpackedBytes = 64 << 20;

/** @param hash what redaction wrote in place of the text; it is compared as it is */
export function createTextMatcher(text: string, hash: string): TextMatcher {
  const wanted = text.toLowerCase();
  const isAscii = Buffer.byteLength(text) === text.length;
  const isLatin1 = !isAscii && [...text].every(one => one.charCodeAt(0) < 256);
  const decode = createDecoder({
    // Latin-1 is decoded faster, and is the same for a text of ASCII alone.
    charset: isAscii ? 'latin1' : 'utf8',
    hasSpace: wanted.includes(' '),
    minBase64Characters: Math.floor((Math.min(Buffer.byteLength(text), hash.length) * 4) / 3),
  });

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
        if (isIn(window.toString(isAscii ? 'latin1' : 'utf8'), start > 0)) return true;
        if (isLatin1 && isIn(window.toString('latin1'), start > 0)) return true;
        for (const wide of wideTexts(window)) if (isIn(wide, false)) return true;
        yield;
      }
    return false;
  };
}

/** What a text may mean. `isCut`: it may begin in the middle of a word. */
function createDecoder({
  charset,
  hasSpace,
  minBase64Characters,
}: {
  charset: 'latin1' | 'utf8';
  hasSpace: boolean;
  minBase64Characters: number;
}) {
  const base64Words = new RegExp(`[A-Za-z0-9+/_-]{${minBase64Characters},}`, 'g');
  const decodePercent = (text: string): string =>
    text.replace(/(?:%[0-9a-fA-F]{2})+/g, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString(charset));

  /** The decoded words, of which a text that is not base64 gives only noise. */
  const decodeBase64 = (text: string, isCut: boolean): string => {
    const words: string[] = text.match(base64Words) ?? [];
    const [first] = words;
    if (isCut && first !== undefined && text.startsWith(first))
      words.push(first.slice(1), first.slice(2), first.slice(3));
    return words
      .map(word => Buffer.from(word, 'base64').toString(charset))
      .filter(isText)
      .join('\n');
  };

  return function* decodings(text: string, isCut: boolean): Generator<string> {
    if (text.includes('\\')) yield unescapeJson(text);
    if (text.includes('%')) yield decodePercent(text);
    if (hasSpace && text.includes('+')) yield decodePercent(text.replaceAll('+', ' '));
    yield decodeBase64(text, isCut);
  };
}

const named: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const unescapeJson = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, one: string) =>
    code === undefined ? (named[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** Most words that are not base64 give bytes that are no text. */
const isText = (decoded: string): boolean => (decoded.match(noise)?.length ?? 0) * 10 <= decoded.length;
const noise = /[\p{Cc}\ufffd]/gu;

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
  const limit = { maxOutputLength: maxUnpackedBytes };
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const isZlib = ((bytes[0] ?? 0) & 15) === 8 && bytes.length > 2 && bytes.readUInt16BE(0) % 31 === 0;
  const isZstd = bytes.length > 4 && bytes.readUInt32LE(0) === 0xfd2fb528;
  // The others have no mark of their own: texts are not tried.
  const isBinary = !isGzip && !isZlib && !isZstd && bytes.length > 8 && isMostlyBinary(bytes.subarray(0, 256));
  const ways = isGzip
    ? [gunzipSync]
    : isZlib
      ? [inflateSync]
      : isZstd
        ? [zstdDecompressSync]
        : isBinary
          ? [inflateRawSync, brotliDecompressSync]
          : [];
  for (const unpack of ways) {
    try {
      yield unpack(bytes, limit);
    } catch {
      // It only looked like it.
    }
  }
}

function isMostlyBinary(bytes: Buffer): boolean {
  let count = 0;
  for (const byte of bytes) if (byte > 126 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) count++;
  return count * 4 > bytes.length;
}
