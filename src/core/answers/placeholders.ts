/*
 * Placeholders in the body of a rule's answer: `{{id}}`, `{{now}}`, `{{header.X}}`, `{{query.X}}`, `{{body.a.b}}`. They are replaced in
 * one pass, so a value that looks like a placeholder stays as it is. A missing value is empty; anything else between braces is text.
 */
import { type HeaderPair, lowerName } from '../headers.ts';
import { parseExactJson } from '../json/exact.ts';
import { decodeUtf8 } from '../text.ts';
import { maxPlaceholderBodyBytes, maxRenderedBytes } from './limits.ts';

type Source = 'id' | 'now' | 'header' | 'query' | 'body';
type Placeholder = { source: Source; name: string };
/** What is written of one payload, before it is known whether it fits. */
const maxWrittenCharacters = 4 << 20;

/** Texts and placeholders, in order. */
export type Template = readonly (string | Placeholder)[];

/** The event that an answer is for, as it is stored. */
export type RenderedEvent = {
  headers: readonly HeaderPair[];
  /** Bytes as Latin-1. */
  query: string | null;
  body: Uint8Array;
};

const placeholderForm = /\{\{[ \t]*(?:(id|now)|(header|query|body)\.([^{}\s]+))[ \t]*\}\}/g;

export function readTemplate(text: string): Template {
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of text.matchAll(placeholderForm)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ source: (match[1] ?? match[2]) as Source, name: match[3] ?? '' });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** JSON may write one byte of a value as `\u0000`. */
const maxBytesPerByte = 6;
/** The bytes of an id or a time. */
const shortValueBytes = 64;

/** The most that `render` can return, from the sizes alone. */
export function maxBytesOf(template: Template, { headers, query, body }: RenderedEvent): number {
  const largestHeader = headers.reduce((largest, [, value]) => Math.max(largest, value.length), 0);
  const sources = { header: largestHeader, query: query?.length ?? 0, body: body.length };
  const bytes = template.reduce((sum, part) => {
    if (typeof part === 'string') return sum + Buffer.byteLength(part);
    const { source } = part;
    return sum + (source === 'id' || source === 'now' ? shortValueBytes : maxBytesPerByte * sources[source]);
  }, 0);
  return Math.min(bytes, maxRenderedBytes);
}

/**
 * The body to send.
 * @param isJson values are escaped for the inside of a JSON string
 * @param at the time of `{{now}}`, epoch ms
 */
export function render(
  template: Template,
  event: RenderedEvent,
  { id, at, isJson }: { id: string; at: number; isJson: boolean },
): Buffer {
  const valueFor = createValues(event, { id, at });
  /** By the text of a value: its bytes, and how it is written. */
  const measured = new Map<string, { written: string; bytes: number }>();
  const measure = (value: string) => {
    const known = measured.get(value);
    if (known) return known;
    const written = isJson ? JSON.stringify(value).slice(1, -1) : value;
    const found = { written, bytes: Buffer.byteLength(written) };
    measured.set(value, found);
    return found;
  };
  let text = '';
  // UTF-8 takes at most three bytes per UTF-16 unit.
  let left =
    maxRenderedBytes -
    template.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : 0), 0);
  for (const part of template) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const { written, bytes } = measure(valueFor(part));
    if (bytes > left) continue;
    left -= bytes;
    text += written;
  }
  return Buffer.from(text);
}

/**
 * Each part of the event is read once, and each value written once, however often a template names it: a rule may have thousands of
 * placeholders. Values may also contain each other, so that there is a limit on what is written of the payload in all.
 */
function createValues({ headers, query, body }: RenderedEvent, { id, at }: { id: string; at: number }) {
  const fields = once(() => firstOfEach(headers.map(([name, value]) => [lowerName(name), value])));
  const parameters = once(() => firstOfEach(new URLSearchParams(query ?? '')));
  const payload = once(() => readPayload(headers, body));
  const written = new Map<string, string>();
  let budget = maxWrittenCharacters;
  const ofPayload = (path: string): string => {
    const known = written.get(path);
    if (known !== undefined) return known;
    const value = budget > 0 ? textOf(valueAt(payload(), path)) : '';
    budget -= value.length;
    written.set(path, value);
    return value;
  };
  return ({ source, name }: Placeholder): string => {
    switch (source) {
      case 'id':
        return id;
      case 'now':
        return new Date(at).toISOString();
      case 'header': {
        const value = fields().get(name.toLowerCase()) ?? '';
        return decodeUtf8(Buffer.from(value, 'latin1')) ?? value;
      }
      case 'query':
        return parameters().get(name) ?? '';
      case 'body':
        return ofPayload(name);
    }
  };
}

function once<T>(read: () => T): () => T {
  let kept: { value: T } | undefined;
  return () => {
    kept ??= { value: read() };
    return kept.value;
  };
}

/** The first value of each name. */
function firstOfEach(pairs: Iterable<readonly [name: string, value: string]>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) if (!found.has(name)) found.set(name, value);
  return found;
}

/** A form is a map of texts. */
function readPayload(headers: readonly HeaderPair[], body: Uint8Array): unknown {
  if (body.length > maxPlaceholderBodyBytes) return undefined;
  const text = decodeUtf8(body)?.replace(/^\ufeff/, '');
  if (text === undefined) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    const type = headers.find(([name]) => lowerName(name) === 'content-type')?.[1] ?? '';
    return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)
      ? firstOfEach(new URLSearchParams(text))
      : undefined;
  }
}

function valueAt(payload: unknown, path: string): unknown {
  if (payload instanceof Map) return payload.get(path);
  let value = payload;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply.
    return '';
  }
}
