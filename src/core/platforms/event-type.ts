/* The event type of a delivery: the first source of its platform's row that gives a text, made safe to show. */
import type { EventSource, Platform } from './model.ts';
import { field, type Reading } from './reading.ts';

const LONGEST = 200;

export function readEventType(platform: Platform, reading: Reading): string | null {
  for (const source of platform.eventType) {
    const text = clean(read(source, reading));
    if (text !== null) return text;
  }
  return null;
}

/** Trimmed, without control and direction characters, at most 200 characters; null when nothing is left or it is no text. */
export function clean(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  // Nearly all: nothing to trim, nothing to remove.
  if (typeof value === 'string' && value.length <= LONGEST && /^[!-~]+$/.test(value)) return value;
  const text = String(value)
    .slice(0, 4 * LONGEST)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '')
    .trim()
    .slice(0, LONGEST);
  // The cut may have fallen between the halves of one character.
  return text === '' ? null : text.replace(/[\ud800-\udbff]$/, '').trimEnd();
}

function read(source: EventSource, reading: Reading): unknown {
  if (typeof source !== 'string') return source.read(reading);
  const colon = source.indexOf(':');
  const name = source.slice(colon + 1);
  switch (source.slice(0, colon)) {
    case 'header':
      return reading.header(name);
    case 'query':
      return reading.query().get(name.toLowerCase());
    case 'json':
      return reading.pick(name);
    case 'form':
      return field(reading.form(), name);
    default:
      return name;
  }
}
