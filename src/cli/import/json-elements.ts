/*
 * Reads the events of an export file from chunks of any size: `events` of a Hooktape export, `log.entries` of a HAR file, or the
 * objects of an NDJSON file. At most one event is in memory. The rest of the file is kept, up to a limit, and must be valid JSON as well.
 */
import { invalid } from '../../core/errors.ts';

/** The JSON text of one event. `offset`: its first byte in the file. `number` counts from 1. */
export type Element = { bytes: Uint8Array; offset: number; number: number };

export type FileKind = 'json' | 'har' | 'ndjson';

const maxElementBytes = 512 << 20;
const maxRestBytes = 4 << 20;
/** If one of them is a key of the file's first object, that object is an event, and the file has one event a line. */
const eventKeys = new Set(['receivedAt', 'rawHeaders', 'payloadRaw']);
/** Exports nest only a few levels: a payload is a string in them. */
const maxDepth = 512;
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export function createElementReader() {
  let state: 'rest' | 'first' | 'next' | 'separator' | 'element' = 'rest';
  let kind: FileKind | undefined;
  let offset = 0;
  let number = 0;
  let inString = false;
  let isEscaped = false;
  // In the rest: the open brackets, and the current key in each.
  const open: number[] = [];
  const keys: string[] = [];
  let word = '';
  const rest: Uint8Array[] = [];
  let restBytes = 0;
  // In the element that is being read.
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
      fail(offset, 'too much data outside the list of events: not a Hooktape export or HAR file');
    rest.push(bytes.slice());
  };

  /** The list of events that the bracket opens, if it opens one. */
  const openedList = (): FileKind | undefined => {
    if (open.length > 2 || open.some(byte => byte !== openObject)) return undefined;
    if (open.length === 1 && keys[1] === 'events') return 'json';
    return open.length === 2 && keys[1] === 'log' && keys[2] === 'entries' ? 'har' : undefined;
  };

  /** Continues in the first object as in an event; the bytes kept so far are its beginning. */
  const startLines = (upToKey: Uint8Array): void => {
    kind = 'ndjson';
    state = 'element';
    parts = [Buffer.concat([...rest.splice(0), upToKey]).subarray(startedAt)];
    partBytes = parts[0]?.length ?? 0;
    depth = 1;
    open.pop();
  };

  /** Reads up to the list of events or the end of the chunk. @returns the index after the last byte read */
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
      } else if (byte === colon) {
        keys[open.length] = word;
        if (kind || open.length > 1 || !eventKeys.has(word)) continue;
        startLines(chunk.slice(start, i + 1));
        return i + 1;
      } else if (byte === closeArray || byte === closeObject) open.pop();
      else if (byte === openArray || byte === openObject) {
        const list = byte === openArray ? openedList() : undefined;
        if (open.length === maxDepth) tooDeep(offset + i);
        if (open.length === 0) startedAt = offset + i;
        open.push(byte);
        keys[open.length] = '';
        if (!list) continue;
        if (kind) fail(offset + i, 'the file has a second list of events');
        kind = list;
        state = 'first';
        keep(chunk.subarray(start, i + 1));
        return i + 1;
      } else if (open.length === 0 && !isBlank(byte) && !(byte >= 0x80 && offset + i < 3))
        fail(offset + i, 'not a JSON object');
    }
    keep(chunk.subarray(start));
    return chunk.length;
  };

  /** Reads the separators between events. @returns the index of the next event or of the list's end, or the chunk's length */
  const readBetween = (chunk: Uint8Array, start: number): number => {
    for (let i = start; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (isBlank(byte)) continue;
      if (kind === 'ndjson') state = 'next';
      if (byte === closeArray && state !== 'next') {
        state = 'rest';
        return i;
      }
      if (byte === comma && state === 'separator') state = 'next';
      else if (byte === openObject && state !== 'separator') {
        state = 'element';
        startedAt = offset + i;
        return i;
      } else fail(offset + i, state === 'separator' ? 'expected a comma or ]' : 'expected an event');
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
    if (partBytes > maxElementBytes) fail(startedAt, 'an event is larger than 512 MiB');
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
    /** @returns the events that this chunk completes @throws invalid, with the position */
    push(chunk: Uint8Array): Element[] {
      const elements: Element[] = [];
      for (let i = 0; i < chunk.length; ) {
        if (state === 'rest') i = readRest(chunk, i);
        else if (state !== 'element') i = readBetween(chunk, i);
        else {
          i = readElement(chunk, i);
          // `readElement` changes the state when the element is complete.
          if ((state as string) === 'separator') elements.push(takeElement());
        }
      }
      offset += chunk.length;
      return elements;
    },
    /** The kind of file; undefined before the first event. */
    kind: (): FileKind | undefined => kind,
    /** @throws invalid if the file is truncated or is not an export */
    end(): void {
      if (kind === 'ndjson' && state === 'separator') return;
      if (state !== 'rest' || open.length > 0 || inString) fail(offset, 'the file is truncated');
      if (!kind) fail(offset, 'no list of events: not a Hooktape export or HAR file');
      try {
        JSON.parse(
          Buffer.concat(rest)
            .toString('utf8')
            .replace(/^\ufeff/, ''),
        );
      } catch (error) {
        fail(offset, `the file is not valid JSON outside its list of events (${(error as Error).message})`);
      }
    },
  };
}
