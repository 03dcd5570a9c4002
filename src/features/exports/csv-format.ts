/*
 * The CSV export (RFC 4180): a header line, then one line for each event. The columns are named like the fields of the JSON export. A
 * value that is null is an empty cell, and an empty text is `""`. Columns are only ever added, at the end.
 */
import { isUtf8 } from 'node:buffer';
import { shownOutcome } from '../../core/answers/model.ts';
import { sha256 } from '../../core/encoding/sha256.ts';
import { joinHeaders } from '../../core/headers.ts';
import { base64Pieces, type Verbatim } from '../../core/json/output.ts';
import { decodeUtf8Leniently } from '../../core/text.ts';
import type { ExportedEvent, FileFormat } from './file-format.ts';

const columns = [
  ...['id', 'receivedAt', 'method', 'path', 'query', 'platform', 'eventType', 'size', 'sha256'],
  ...['pinName', 'pinNote', 'pinnedAt', 'tags', 'headers', 'payloadEncoding', 'payloadRaw'],
  ...['answeredStatus', 'answeredRule', 'answeredFault', 'refused', 'redacted'],
];
const columnsAfterPayload = columns.length - 1 - columns.indexOf('payloadRaw');

const cell = (value: string | number | null): string =>
  value === null ? '' : typeof value === 'number' ? String(value) : textCell(value);
const time = (at: number): string => new Date(at).toISOString();

function* base64Cell(body: Uint8Array): Generator<string> {
  let isFirst = true;
  for (const piece of base64Pieces(body)) {
    // The first may begin with a plus sign.
    yield isFirst ? textCell(piece) : piece;
    isFirst = false;
  }
}

export const csvFile: FileFormat = {
  head: () => `${columns.join(',')}\r\n`,

  *event({ id, row, path, query, headers, body }: ExportedEvent) {
    const { receivedAt, method, platform, eventType, size, pin, tags, outcome, redacted } = row;
    const { answered, refused } = shownOutcome(outcome);
    const isText = isUtf8(body) && !hasControls(body);
    const cells = [
      id,
      time(receivedAt),
      method,
      path,
      query,
      platform,
      eventType,
      size,
      Buffer.from(sha256(body)).toString('hex'),
      pin?.name ?? null,
      pin?.note ?? null,
      pin && time(pin.pinnedAt),
      tags.length > 0 ? JSON.stringify(tags) : null,
      JSON.stringify(joinHeaders(headers)),
      isText ? 'utf8' : 'base64',
    ];
    yield `${cells.map(cell).join(',')},`;
    if (isText) yield* longTextCell(body);
    else yield* base64Cell(body);
    const last = [answered.status, answered.rule, answered.fault, refused, redacted && JSON.stringify(redacted)];
    yield `,${last.map(cell).join(',')}\r\n`;
  },

  separator: '',
  tail: damaged =>
    (damaged?.ids ?? [])
      .map(id => `${id}${','.repeat(columns.indexOf('payloadEncoding'))}damaged,${','.repeat(columnsAfterPayload)}\r\n`)
      .join(''),
};

/** Includes full-width and small forms, which some spreadsheets treat as equal. */
const operators = '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b';
/** White space and invisible characters, which some spreadsheets skip. */
const blank = '[\\s\\p{Cf}\\p{Cc}]';
const formula = new RegExp(`^'*(?:[\\t\\r]|${blank}*[${operators}])`, 'u');
const onlyBlanks = new RegExp(`^'*${blank}*\ufffd?$`, 'u');
/** A semicolon and a tab separate cells in some settings of spreadsheets. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/**
 * A spreadsheet must not take captured text for a formula, so a cell that begins like one gets an apostrophe in front. A cell that
 * already begins with apostrophes before a formula gets one more, so that removing the first apostrophe of each such cell restores
 * every text.
 */
export function textCell(text: string): string {
  if (text === '') return '""';
  const safe = formula.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const firstBytes = 64;
/** With all quotes doubled, a piece still fits into a chunk (core/json/output.ts). */
const pieceBytes = 8 << 10;

/** @param bytes valid UTF-8 */
export function* longTextCell(bytes: Uint8Array): Generator<string | Verbatim> {
  yield beginsLikeFormula(bytes) ? `"'` : '"';
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const piece = bytes.subarray(start, start + pieceBytes);
    yield { verbatim: piece.includes(quote) ? doubleQuotes(piece) : piece };
  }
  yield '"';
}

const quote = 0x22;

/** A loop, because replacing in a string makes a CSV export take half as long again. */
function doubleQuotes(bytes: Uint8Array): Uint8Array {
  const doubled = Buffer.allocUnsafe(2 * bytes.length);
  let out = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    doubled[out++] = byte;
    if (byte === quote) doubled[out++] = quote;
  }
  return doubled.subarray(0, out);
}

function beginsLikeFormula(bytes: Uint8Array): boolean {
  for (let end = firstBytes; ; end *= 8) {
    const text = decodeUtf8Leniently(bytes.subarray(0, end));
    if (formula.test(text)) return true;
    if (end >= bytes.length || !onlyBlanks.test(text)) return false;
  }
}

const isControl = new Uint8Array(256).fill(1, 0, 0x20);
for (const allowed of '\t\n\r') isControl[allowed.charCodeAt(0)] = 0;
isControl[0x7f] = 1;

/** Whether there are control characters other than tabs and line ends: programs that read CSV cut text at NUL or refuse it. */
export function hasControls(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (isControl[bytes[i] ?? 0] === 1) return true;
  return false;
}
