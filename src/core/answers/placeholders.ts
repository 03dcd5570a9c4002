/* Fills in placeholders in one pass, so that values are not templates. A missing value is empty, or `null` as JSON. */

import type { Verdict } from '../../shared/filter/filter.ts';
import type { Placeholder, Template } from '../../shared/placeholders.ts';
import { type HeaderPair, headerValue, isFormType, lowerName } from '../headers.ts';
import { parseExactJson } from '../json/exact.ts';
import { decodeUtf8, decodeUtf8Leniently, firstCharacters } from '../text.ts';
import { maxPlaceholderBodyBytes, maxRenderedBytes, maxWholeBodyBytes } from './limits.ts';

/** What is written or cut for one template, before it is known whether it fits. */
const maxWrittenCharacters = 4 << 20;

/** The event that is written about, as it is stored. */
export type RenderedEvent = {
  type: string | null;
  platform: string | null;
  verdict: () => Verdict;
  receivedAt: number;
  headers: readonly HeaderPair[];
  /** Bytes as Latin-1. */
  query: string | null;
  body: Uint8Array;
};

export type Escaping = 'json' | 'form' | 'none';

export type RenderOptions = {
  id: string;
  /** The time of `{{now}}`, epoch ms. */
  at: number;
  escaping: Escaping;
  /** The most bytes; by default the limit of an answer. */
  maxBytes?: number;
  /** The name of the endpoint, and the event in the dashboard; not for answers. */
  endpoint?: string;
  link?: string;
};

export const escapingFor = (contentType: string): Escaping =>
  /^\s*(?:[\w.+-]+\/(?:[\w.+-]+\+)?json)\s*(?:;|$)/i.test(contentType)
    ? 'json'
    : isFormType(contentType)
      ? 'form'
      : 'none';

/** JSON may write one byte of a value as `\u0000`. */
const maxBytesPerByte = 6;
/** The bytes of an id, a time or a verdict. */
const shortValueBytes = 64;
/** `null` for a missing value, or the ellipsis of a cut one. */
const addedBytes = 4;

/** The most that `render` can return for an answer, from the sizes alone. */
export function maxBytesOf(template: Template, { headers, query, body, type, platform }: RenderedEvent): number {
  const largestHeader = headers.reduce((largest, [, value]) => Math.max(largest, value.length), 0);
  const sizes: Partial<Record<Placeholder['source'], number>> = {
    header: largestHeader,
    query: query?.length ?? 0,
    body: body.length,
    raw: body.length,
    type: Buffer.byteLength(type ?? ''),
    platform: platform?.length ?? 0,
  };
  const bytes = template.reduce((sum, part) => {
    if (typeof part === 'string') return sum + Buffer.byteLength(part);
    const size = sizes[part.source];
    return sum + (size === undefined ? shortValueBytes : addedBytes + maxBytesPerByte * size);
  }, 0);
  return Math.min(bytes, maxRenderedBytes);
}

/** @returns the body to send. `isWhole`: false if a value did not fit, and was left out */
export function render(
  template: Template,
  event: RenderedEvent,
  options: RenderOptions,
): { body: Buffer; isWhole: boolean } {
  const { escaping, maxBytes = maxRenderedBytes } = options;
  const valueFor = createValues(event, options, maxBytes);
  /** By the text of a value: its bytes, and how it is written. */
  const measuredTexts = new Map<string, { written: string; bytes: number }>();
  const measuredJson: typeof measuredTexts = new Map();
  const measure = (value: string, isJson: boolean) => {
    const measured = isJson ? measuredJson : measuredTexts;
    const known = measured.get(value);
    if (known) return known;
    const written = isJson && escaping === 'json' ? value : escaped(value, escaping);
    const found = { written, bytes: Buffer.byteLength(written) };
    measured.set(value, found);
    return found;
  };
  let text = '';
  let isWhole = true;
  let left =
    maxBytes - template.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : 0), 0);
  for (const part of template) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = valueFor(part, left);
    const found = value === undefined ? undefined : measure(value, part.isJson === true);
    if (!found || found.bytes > left) {
      isWhole = false;
      continue;
    }
    left -= found.bytes;
    text += found.written;
  }
  return { body: Buffer.from(text), isWhole };
}

function escaped(value: string, escaping: Escaping): string {
  switch (escaping) {
    case 'json':
      return JSON.stringify(value).slice(1, -1);
    case 'form':
      return encodeURIComponent(value.toWellFormed());
    case 'none':
      return value;
  }
}

/**
 * Each part of the event is read once, and each value written once, however often a template names it: a rule may have thousands of
 * placeholders. Values may also contain each other, and may be cut in many places, so that there is a limit on what is written in all.
 */
function createValues(
  { type, platform, verdict, receivedAt, headers, query, body }: RenderedEvent,
  { id, at, endpoint = '', link = '' }: RenderOptions,
  maxBytes: number,
) {
  const fields = once(() => firstOfEach(headers.map(([name, value]) => [lowerName(name), value])));
  const parameters = once(() => firstOfEach(new URLSearchParams(query ?? '')));
  const payload = once(() => readPayload(headers, body));
  // The text is at least as long as the bytes, so that the rest of a longer body would not fit anyway.
  const raw = once(() => decodeUtf8Leniently(body.subarray(0, maxBytes + 1)));
  const written = new Map<string, string>();
  let budget = maxWrittenCharacters;
  const ofPayload = (path: string, isJson: boolean): string | undefined => {
    const key = `${isJson}${path}`;
    const known = written.get(key);
    if (known !== undefined) return known;
    if (budget <= 0) return undefined;
    const missing = isJson ? 'null' : '';
    const write = isJson ? jsonOf : textOf;
    const value = write(valueAt(payload(), path)) ?? missing;
    budget -= value.length;
    written.set(key, value);
    return value;
  };
  const wholeBody = once((): string => {
    const whole = body.length > maxWholeBodyBytes ? undefined : (jsonOf(payload()) ?? JSON.stringify(raw()));
    return whole === undefined || Buffer.byteLength(whole) > maxWholeBodyBytes ? 'null' : whole;
  });
  const wholeValues: Record<Placeholder['source'], (of: Placeholder) => string | undefined> = {
    id: () => id,
    now: () => new Date(at).toISOString(),
    type: () => type ?? '',
    platform: () => platform ?? '',
    verdict,
    receivedAt: () => new Date(receivedAt).toISOString(),
    raw,
    endpoint: () => endpoint,
    link: () => link,
    header: ({ name }) => {
      const value = fields().get(name.toLowerCase()) ?? '';
      return decodeUtf8(Buffer.from(value, 'latin1')) ?? value;
    },
    query: ({ name }) => parameters().get(name) ?? '',
    body: ({ name, isJson = false }) => (name === '' ? wholeBody() : ofPayload(name, isJson)),
  };
  /** @param left the bytes that are left @returns undefined if it does not fit for sure, or the limit is reached */
  return (placeholder: Placeholder, left: number): string | undefined => {
    const { limit } = placeholder;
    const value = wholeValues[placeholder.source](placeholder);
    if (value === undefined || limit === undefined || value.length <= limit) return value;
    if (limit > left || budget <= 0) return undefined;
    budget -= limit;
    return firstCharacters(value, limit) === value ? value : `${firstCharacters(value, limit - 1)}…`;
  };
}

function once<T>(read: () => T): () => T {
  let kept: { value: T } | undefined;
  return () => {
    kept ??= { value: read() };
    return kept.value;
  };
}

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
    return isFormType(headerValue(headers, 'content-type') ?? '') ? firstOfEach(new URLSearchParams(text)) : undefined;
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : jsonOf(value);
}

/** Undefined for a missing value, and for a value that is nested too deeply. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value instanceof Map ? Object.fromEntries(value) : value);
  } catch {
    return undefined;
  }
}
