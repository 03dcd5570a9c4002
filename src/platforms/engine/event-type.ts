/* The event type of a delivery: the first source of its platform's row that gives a text, made safe to show. */

import { type DeliveryReader, firstFormValue } from './delivery-reader.ts';
import type { EventTypeSource, Platform } from './model.ts';

const longest = 200;

export function readEventType(platform: Platform, reader: DeliveryReader): string | null {
  for (const source of platform.eventType) {
    const text = sanitizeEventType(readSource(source, reader));
    if (text !== null) return text;
  }
  return null;
}

/** Trimmed, without control and direction characters, at most 200 characters; null when nothing is left or it is no text. */
export function sanitizeEventType(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  // Nearly all: nothing to trim, nothing to remove.
  if (typeof value === 'string' && value.length <= longest && /^[!-~]+$/.test(value)) return value;
  const text = String(value)
    .slice(0, 4 * longest)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '')
    .trim()
    .slice(0, longest);
  // The cut may have fallen between the halves of one character.
  return text === '' ? null : text.replace(/[\ud800-\udbff]$/, '').trimEnd();
}

function readSource(source: EventTypeSource, reader: DeliveryReader): unknown {
  if (typeof source !== 'string') return source.read(reader);
  const colon = source.indexOf(':');
  const name = source.slice(colon + 1);
  switch (source.slice(0, colon)) {
    case 'header':
      return reader.header(name);
    case 'query':
      return reader.query().get(name.toLowerCase());
    case 'json':
      return reader.jsonValue(name);
    case 'form':
      return firstFormValue(reader.form(), name);
    default:
      return name;
  }
}
