/* The event type of a delivery: the first text that a source in its platform's row finds, made safe to display. */

import { type DeliveryReader, firstFormValue } from './delivery-reader.ts';
import type { EventTypeSource, Platform } from './platform.ts';

const maxEventTypeLength = 200;

export function readEventType(platform: Platform, reader: DeliveryReader): string | null {
  for (const source of platform.eventType) {
    const text = sanitizeEventType(readSource(source, reader));
    if (text !== null) return text;
  }
  return null;
}

/** Trimmed, without control and direction characters, at most 200 characters; null for an empty text and for other values. */
export function sanitizeEventType(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  // Fast path: nothing to trim, nothing to remove.
  if (typeof value === 'string' && value.length <= maxEventTypeLength && /^[!-~]+$/.test(value)) return value;
  const text = String(value)
    .slice(0, 4 * maxEventTypeLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '')
    .trim()
    .slice(0, maxEventTypeLength);
  // The cut may have split a surrogate pair.
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
