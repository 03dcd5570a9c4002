/*
 * The head of a plain delivery, read from the bytes as they came: one of the usual methods, an ingest target, and header
 * fields in the strict form of RFC 9112, with a body whose length is said up front. Everything else (chunked, `Expect`, other
 * methods, white space where none belongs, whatever looks odd) is `other`: it is for the complete HTTP server, which then reads the
 * same bytes from their beginning. What is taken here is taken as that server would take it.
 */
import { trimBlanks } from '../../core/headers.ts';
import { ingestPrefix } from '../../core/request-target.ts';

export type RequestHead = {
  method: string;
  /** As it came; begins with the ingest prefix. */
  target: string;
  /** Offsets of the header fields, each line with its CRLF; the empty line after them is not included. */
  fieldsFrom: number;
  fieldsTo: number;
  /** The body: where it begins, and how long it says it is. */
  bodyFrom: number;
  bodyBytes: number;
  keepAlive: boolean;
  /** Several fields joined with a comma. */
  forwardedFor: string | undefined;
};

const methods = new Set(['POST', 'PUT', 'PATCH', 'GET', 'DELETE']);
const longestMethod = 6;
const longestTarget = 8 << 10;
const longestHead = 64 << 10;
const mostFields = 100;
/** Upgrades (RFC 9110 section 7.8) are not offered: whoever asks for one is answered as if it had not. */
const connectionOptions = new Set(['keep-alive', 'close', 'upgrade', 'http2-settings', 'te']);
/** Enough for any body that is taken here, and few enough to be read without a doubt. */
const lengthForm = /^\d{1,7}$/;

const [space, colon, cr, lf] = [0x20, 0x3a, 0x0d, 0x0a];
const endOfRequestLine = bytesOf(' HTTP/1.1\r\n');
const prefix = bytesOf(ingestPrefix);

/** By byte: what a field name (RFC 9110 section 5.6.2), a field value (section 5.5) and a target may be made of. */
const isTokenByte = tableOf(/[!#$%&'*+\-.^_`|~0-9A-Za-z]/);
const isValueByte = tableOf(/[\t -~\x80-\xff]/);
const isTargetByte = tableOf(/[!-"$-~]/);

/** @returns `other` also when the head is not whole */
export function readRequestHead(bytes: Buffer): RequestHead | 'other' {
  const methodTo = bytes.indexOf(space);
  if (methodTo < 1 || methodTo > longestMethod) return 'other';
  const method = bytes.toString('latin1', 0, methodTo);
  if (!methods.has(method)) return 'other';

  const targetFrom = methodTo + 1;
  if (!isAt(bytes, targetFrom, prefix)) return 'other';
  let at = targetFrom + prefix.length;
  while (isTargetByte[bytes[at] as number]) at++;
  if (at - targetFrom > longestTarget || !isAt(bytes, at, endOfRequestLine)) return 'other';
  const target = bytes.toString('latin1', targetFrom, at);

  at += endOfRequestLine.length;
  const fieldsFrom = at;
  let fields = 0;
  let hosts = 0;
  let bodyBytes: number | undefined;
  let keepAlive: boolean | undefined;
  let forwardedFor: string | undefined;
  while (bytes[at] !== cr) {
    const nameFrom = at;
    while (isTokenByte[bytes[at] as number]) at++;
    const nameTo = at;
    if (nameTo === nameFrom || bytes[at] !== colon || ++fields > mostFields) return 'other';
    at++;
    while (isValueByte[bytes[at] as number]) at++;
    const valueTo = at;
    if (bytes[at] !== cr || bytes[at + 1] !== lf) return 'other';
    at += 2;
    switch (nameTo - nameFrom) {
      case 4:
        if (isName(bytes, nameFrom, names.host)) hosts++;
        break;
      case 6:
        if (isName(bytes, nameFrom, names.expect)) return 'other';
        break;
      case 10:
        if (isName(bytes, nameFrom, names.connection)) {
          const options = bytes
            .toString('latin1', nameTo + 1, valueTo)
            .toLowerCase()
            .split(',')
            .map(trimBlanks);
          if (keepAlive !== undefined || !options.every(option => connectionOptions.has(option))) return 'other';
          keepAlive = !options.includes('close');
        }
        break;
      case 14:
        if (isName(bytes, nameFrom, names.contentLength)) {
          const length = readLength(bytes.toString('latin1', nameTo + 1, valueTo));
          if (bodyBytes !== undefined || length === undefined) return 'other';
          bodyBytes = length;
        }
        break;
      case 15:
        if (isName(bytes, nameFrom, names.forwardedFor)) {
          const value = trimBlanks(bytes.toString('latin1', nameTo + 1, valueTo));
          forwardedFor = forwardedFor === undefined ? value : `${forwardedFor},${value}`;
        }
        break;
      case 16:
        if (isName(bytes, nameFrom, names.proxyConnection)) return 'other';
        break;
      case 17:
        if (isName(bytes, nameFrom, names.transferEncoding)) return 'other';
        break;
    }
  }
  if (bytes[at + 1] !== lf || hosts !== 1 || at > longestHead) return 'other';
  return {
    method,
    target,
    fieldsFrom,
    fieldsTo: at,
    bodyFrom: at + 2,
    bodyBytes: bodyBytes ?? 0,
    keepAlive: keepAlive ?? true,
    forwardedFor,
  };
}

const names = {
  host: bytesOf('host'),
  expect: bytesOf('expect'),
  connection: bytesOf('connection'),
  contentLength: bytesOf('content-length'),
  forwardedFor: bytesOf('x-forwarded-for'),
  proxyConnection: bytesOf('proxy-connection'),
  transferEncoding: bytesOf('transfer-encoding'),
};

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0));
}

function tableOf(allowed: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => Number(allowed.test(String.fromCharCode(byte))));
}

function isAt(bytes: Uint8Array, from: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[from + i] !== expected[i]) return false;
  return true;
}

/** Of token bytes, so that bit 5 is the case of a letter and nothing else. @param name lower-case, of the same length */
function isName(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (((bytes[from + i] as number) | 0x20) !== name[i]) return false;
  return true;
}

/** Digits only, between blanks. */
function readLength(text: string): number | undefined {
  const digits = trimBlanks(text);
  return lengthForm.test(digits) ? Number(digits) : undefined;
}
