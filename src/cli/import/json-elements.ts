/*
 * The events of an export file, one after the other, from chunks of any size: a Hooktape export's `events` or a HAR file's
 * `log.entries`. Of the file no more than one event is held. All else in it is kept aside, up to a bound, and must be JSON too.
 */
import { invalid } from '../../core/errors.ts';

/** One event's JSON text. `offset`: where it begins in the file, in bytes. `number` counts from 1. */
export type Element = { bytes: Uint8Array; offset: number; number: number };

export type FileKind = 'json' | 'har';

export type ElementReader = {
  /** @returns the events that are complete now @throws invalid with the position */
  push: (chunk: Uint8Array) => Element[];
  /** Which file it is, once its events have begun. */
  kind: () => FileKind | undefined;
  /** @throws invalid when the file is cut off or is no export */
  end: () => void;
};

const maxElementBytes = 512 << 20;
const maxRestBytes = 4 << 20;
/** Exports nest a few levels; a payload is text in them, however deep it is itself. */
const maxDepth = 512;
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export function createElementReader(): ElementReader {
  let state: 'rest' | 'first' | 'next' | 'separator' | 'element' = 'rest';
  let kind: FileKind | undefined;
  let offset = 0;
  let number = 0;
  let inString = false;
  let isEscaped = false;
  // Of the rest: what is open, and under which key each open thing stands.
  const open: number[] = [];
  const keys: string[] = [];
  let word = '';
  const rest: Uint8Array[] = [];
  let restBytes = 0;
  // Of the element that is being read.
  let depth = 0;
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  let startedAt = 0;

  const fail = (at: number, what: string): never => {
    throw invalid(`byte ${at}: ${what}`);
  };

  const tooDeep = (at: number): never => fail(at, `nested more than ${maxDepth} levels deep`);

  const keep = (bytes: Uint8Array): void => {
    restBytes += bytes.length;
    if (restBytes > maxRestBytes)
      fail(offset, 'too much besides events: this is no export of Hooktape and no HAR file');
    rest.push(bytes.slice());
  };

  /** Which list opens here. */
  const listHere = (): FileKind | undefined => {
    if (open.length > 2 || open.some(byte => byte !== openObject)) return undefined;
    if (open.length === 1 && keys[1] === 'events') return 'json';
    return open.length === 2 && keys[1] === 'log' && keys[2] === 'entries' ? 'har' : undefined;
  };

  /** Reads up to the list or the end of the chunk. @returns the index after what was read */
  const readRest = (chunk: Uint8Array, start: number): number => {
    for (let i = start; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
        else if (word.length < 16) word += String.fromCharCode(byte);
      } else if (byte === quote) {
        inString = true;
        word = '';
      } else if (byte === colon) keys[open.length] = word;
      else if (byte === closeArray || byte === closeObject) open.pop();
      else if (byte === openArray || byte === openObject) {
        const list = byte === openArray ? listHere() : undefined;
        if (open.length === maxDepth) tooDeep(offset + i);
        open.push(byte);
        keys[open.length] = '';
        if (!list) continue;
        if (kind) fail(offset + i, 'a second list of events');
        kind = list;
        state = 'first';
        keep(chunk.subarray(start, i + 1));
        return i + 1;
      } else if (open.length === 0 && !isBlank(byte) && !(byte >= 0x80 && offset + i < 3))
        fail(offset + i, 'this is no JSON object');
    }
    keep(chunk.subarray(start));
    return chunk.length;
  };

  /** Between events. @returns the index of what decided, or of the end of the chunk */
  const readBetween = (chunk: Uint8Array, start: number): number => {
    for (let i = start; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (isBlank(byte)) continue;
      if (byte === closeArray && state !== 'next') {
        state = 'rest';
        return i;
      }
      if (byte === comma && state === 'separator') state = 'next';
      else if (byte === openObject && state !== 'separator') {
        state = 'element';
        startedAt = offset + i;
        return i;
      } else fail(offset + i, state === 'separator' ? 'a comma or ] was expected' : 'an event was expected');
    }
    return chunk.length;
  };

  /** @returns the index after the element or the chunk */
  const readElement = (chunk: Uint8Array, start: number): number => {
    let i = start;
    for (; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === openObject || byte === openArray) {
        if (depth === maxDepth) tooDeep(offset + i);
        depth++;
      } else if ((byte === closeObject || byte === closeArray) && --depth === 0) {
        state = 'separator';
        i++;
        break;
      }
    }
    partBytes += i - start;
    if (partBytes > maxElementBytes) fail(startedAt, 'an event of more than 512 MiB');
    parts.push(chunk.slice(start, i));
    return i;
  };

  const takeElement = (): Element => {
    const element = { bytes: Buffer.concat(parts), offset: startedAt, number: ++number };
    parts = [];
    partBytes = 0;
    return element;
  };

  return {
    push(chunk) {
      const elements: Element[] = [];
      for (let i = 0; i < chunk.length; ) {
        if (state === 'rest') i = readRest(chunk, i);
        else if (state !== 'element') i = readBetween(chunk, i);
        else {
          i = readElement(chunk, i);
          // `readElement` leaves another state behind when the element is whole.
          if ((state as string) === 'separator') elements.push(takeElement());
        }
      }
      offset += chunk.length;
      return elements;
    },
    kind: () => kind,
    end() {
      if (state !== 'rest' || open.length > 0 || inString) fail(offset, 'the file ends in the middle');
      if (!kind) fail(offset, 'no list of events: this is no export of Hooktape and no HAR file');
      try {
        JSON.parse(
          Buffer.concat(rest)
            .toString('utf8')
            .replace(/^\ufeff/, ''),
        );
      } catch (error) {
        fail(offset, `besides its events the file is not valid JSON (${(error as Error).message})`);
      }
    },
  };
}
