/*
 * Parses the head of a plain delivery: a common method, an ingest target, header fields in the strict form of RFC 9112, and a body
 * whose length is announced. Everything else (chunked, `Expect`, other methods, unusual white space) is `unsupported`: the HTTP server
 * then reads the same bytes from their beginning. Both must read an accepted head in the same way (fast-path.test.ts).
 */
import { trimBlanks } from '../../core/headers.ts';
import { ingestPrefix } from '../../core/network/request-target.ts';

export type RequestHead = {
  method: string;
  /** As sent; begins with the ingest prefix. */
  target: string;
  /** Offsets of the header fields, each line with its CRLF; the empty line after them is not included. */
  fieldsFrom: number;
  fieldsTo: number;
  /** The body's offset and its announced length. */
  bodyFrom: number;
  bodyBytes: number;
  keepAlive: boolean;
  /** X-Forwarded-For; several fields are joined with a comma. */
  forwardedFor: string | undefined;
};

const methods = new Set(['POST', 'PUT', 'PATCH', 'GET', 'DELETE']);
const maxMethodBytes = 6;
const maxTargetBytes = 8 << 10;
const maxHeadBytes = 64 << 10;
const maxFields = 100;
/** Upgrades (RFC 9110 section 7.8) are not supported, and a request for one may be ignored. */
const connectionOptions = new Set(['keep-alive', 'close', 'upgrade', 'http2-settings', 'te']);
/** Enough digits for every body that the fast path accepts, and few enough for an exact number. */
const lengthForm = /^\d{1,7}$/;

const [space, colon, cr, lf] = [0x20, 0x3a, 0x0d, 0x0a];
const endOfRequestLine = bytesOf(' HTTP/1.1\r\n');
const prefix = bytesOf(ingestPrefix);

/** Indexed by byte: whether a field name (RFC 9110 section 5.6.2), a field value (section 5.5) or a target may contain it. */
const isTokenByte = tableOf(/[!#$%&'*+\-.^_`|~0-9A-Za-z]/);
const isValueByte = tableOf(/[\t -~\x80-\xff]/);
const isTargetByte = tableOf(/[!-"$-~]/);

/** @returns `unsupported` for an incomplete head, too */
export function readRequestHead(bytes: Buffer): RequestHead | 'unsupported' {
  const methodTo = bytes.indexOf(space);
  if (methodTo < 1 || methodTo > maxMethodBytes) return 'unsupported';
  const method = bytes.toString('latin1', 0, methodTo);
  if (!methods.has(method)) return 'unsupported';

  const targetFrom = methodTo + 1;
  if (!isAt(bytes, targetFrom, prefix)) return 'unsupported';
  let at = targetFrom + prefix.length;
  while (isTargetByte[bytes[at] as number]) at++;
  if (at - targetFrom > maxTargetBytes || !isAt(bytes, at, endOfRequestLine)) return 'unsupported';
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
    if (nameTo === nameFrom || bytes[at] !== colon || ++fields > maxFields) return 'unsupported';
    at++;
    while (isValueByte[bytes[at] as number]) at++;
    const valueTo = at;
    if (bytes[at] !== cr || bytes[at + 1] !== lf) return 'unsupported';
    at += 2;
    switch (nameTo - nameFrom) {
      case 4:
        if (isName(bytes, nameFrom, names.host)) hosts++;
        break;
      case 6:
        if (isName(bytes, nameFrom, names.expect)) return 'unsupported';
        break;
      case 10:
        if (isName(bytes, nameFrom, names.connection)) {
          const options = bytes
            .toString('latin1', nameTo + 1, valueTo)
            .toLowerCase()
            .split(',')
            .map(trimBlanks);
          if (keepAlive !== undefined || !options.every(option => connectionOptions.has(option))) return 'unsupported';
          keepAlive = !options.includes('close');
        }
        break;
      case 14:
        if (isName(bytes, nameFrom, names.contentLength)) {
          const length = readLength(bytes.toString('latin1', nameTo + 1, valueTo));
          if (bodyBytes !== undefined || length === undefined) return 'unsupported';
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
        if (isName(bytes, nameFrom, names.proxyConnection)) return 'unsupported';
        break;
      case 17:
        if (isName(bytes, nameFrom, names.transferEncoding)) return 'unsupported';
        break;
    }
  }
  if (bytes[at + 1] !== lf || hosts !== 1 || at > maxHeadBytes) return 'unsupported';
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

/** In token bytes, bit 5 is only the case of a letter. @param name lower-case, of the same length */
function isName(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (((bytes[from + i] as number) | 0x20) !== name[i]) return false;
  return true;
}

/** Digits only, with blanks around them. */
function readLength(text: string): number | undefined {
  const digits = trimBlanks(text);
  return lengthForm.test(digits) ? Number(digits) : undefined;
}
