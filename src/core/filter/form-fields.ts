/* Fields of queries, forms and multipart bodies, without lists of them all: a body may have millions. */
import type { MultipartPart } from '../../shared/multipart.ts';
import { hexDigit } from '../json/bytes.ts';
import { decodeUtf8Leniently } from '../text.ts';
import type { ContentTest } from './content-test.ts';
import { result } from './steps.ts';

const percent = 0x25;
const plus = 0x2b;

/** Whether a parameter of this name meets the test. @param text without the `?` of a query */
export const someParameter = (text: string, name: string, test: ContentTest): boolean =>
  result(findParameter(text, name, test, Infinity));

/** Like `someParameter`, in steps. @param stepCharacters how much is read between two yields */
export function* findParameter(
  text: string,
  name: string,
  test: ContentTest,
  stepCharacters: number,
): Generator<undefined, boolean> {
  const utf8 = Buffer.from(name, 'utf8');
  let limit = stepCharacters;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const next = text.indexOf('&', start);
    end = next < 0 ? text.length : next;
    const equals = indexOfEquals(text, start, end);
    if (end > start && isName(text, start, equals, name, utf8)) {
      if (test.isPresence || test.matchesText(decoded(text.slice(equals + 1, end)))) return true;
    }
    if (end >= limit) {
      yield;
      limit = end + stepCharacters;
    }
  }
  return false;
}

export type Parameter = { name: string; value: string; writtenName: string; writtenValue: string; start: number };

export function* eachParameter(
  text: string,
  use: (parameter: Parameter) => void,
  stepCharacters: number,
): Generator<undefined, void> {
  let limit = stepCharacters;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const next = text.indexOf('&', start);
    end = next < 0 ? text.length : next;
    const equals = indexOfEquals(text, start, end);
    const [writtenName, writtenValue] = [text.slice(start, equals), text.slice(equals + 1, end)];
    if (end > start)
      use({ name: decoded(writtenName), value: decoded(writtenValue), writtenName, writtenValue, start });
    if (end < limit) continue;
    yield;
    limit = end + stepCharacters;
  }
}

function indexOfEquals(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) !== 0x3d) at++;
  return at;
}

/** It compares while it decodes, because most names differ at once. */
function isName(text: string, start: number, end: number, name: string, utf8: Uint8Array): boolean {
  // This character also replaces bytes that are not UTF-8.
  if (name.includes('\ufffd')) return decoded(text.slice(start, end)) === name;
  let length = 0;
  for (let at = start; at < end; at++) {
    let code = text.charCodeAt(at);
    if (code > 0x7f) return decoded(text.slice(start, end)) === name;
    if (code === plus) code = 0x20;
    else if (code === percent) {
      const [high, low] = [hexDigit(text.charCodeAt(at + 1)), hexDigit(text.charCodeAt(at + 2))];
      if (high >= 0 && low >= 0 && at + 2 < end) {
        code = high * 16 + low;
        at += 2;
      }
    }
    if (code !== utf8[length++]) return false;
  }
  return length === utf8.length;
}

/** One name or value, which has no `&`. */
const decoded = (text: string): string =>
  /[%+]/.test(text) ? (new URLSearchParams(`x=${text}`).get('x') ?? '') : text;

/** The text of a part of a multipart body; undefined for a file. */
export const textOfPart = ({ filename, bytes }: MultipartPart): string | undefined =>
  filename === undefined ? decodeUtf8Leniently(bytes) : undefined;

/** Whether a field of this name meets the test. A file counts as present, but has no text. */
export const somePart = (parts: readonly MultipartPart[], name: string, test: ContentTest): boolean =>
  parts.some(part => {
    if (part.name !== name || test.isPresence) return part.name === name;
    const text = textOfPart(part);
    return text !== undefined && test.matchesText(text);
  });
