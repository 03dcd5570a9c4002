/*
 * The event type of a delivery: the first text that a source in its platform's row finds, made safe to display. For an unknown
 * sender, and for a platform whose row has no source, it is what usual headers and keys say.
 */

import { type JsonScan, maxKeys, textsAtKeys } from '../../core/json/scan.ts';
import { isJson } from '../../core/json/validator.ts';
import { type DeliveryReader, firstFormValue } from './delivery-reader.ts';
import type { EventTypeSource, Platform } from './platform.ts';

const maxEventTypeLength = 200;

/** Headers in which senders usually name the type of an event; those before count first. */
const usualHeaders = [
  'ce-type',
  'x-event-type',
  'x-event-name',
  'x-event-key',
  'x-event',
  'x-webhook-event',
  'x-webhook-topic',
  'webhook-event',
  'webhook-topic',
  'x-topic',
];
/** Keys at the top level of a JSON object, which count after the headers. */
const usualKeys = new Set(['type', 'event', 'event_type', 'eventType', 'event_name', 'eventName', 'topic']);

/** @param platform undefined for an unknown sender */
export function readEventType(platform: Platform | undefined, reader: DeliveryReader): string | null {
  if (platform === undefined || platform.eventType.length === 0) return readUsualType(reader);
  for (const source of platform.eventType) {
    const text = sanitizeEventType(readSource(source, reader));
    if (text !== null) return text;
  }
  return null;
}

/** Trimmed, without control and direction characters, at most 200 characters; null for an empty text and for other values. */
export function sanitizeEventType(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  // Fast path: nothing to trim or remove.
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

function readUsualType(reader: DeliveryReader): string | null {
  for (const name of usualHeaders) {
    // A header that came twice has a comma in it, and does not count.
    const type = usualType(reader.header(name));
    if (type !== undefined) return type;
  }
  const scan = reader.jsonScan();
  if (scan === null || !mayHaveUsualKey(scan)) return null;
  const { body } = reader.delivery;
  const texts = textsAtKeys(body, usualKeys);
  for (const key of usualKeys) {
    const type = usualType(texts.get(key));
    if (type !== undefined) return isJson(body) ? type : null;
  }
  return null;
}

/** A scan lists no more than a number of keys, as they are written. */
const mayHaveUsualKey = ({ keys }: JsonScan): boolean =>
  keys.length >= maxKeys || keys.some(key => usualKeys.has(key) || key.includes('\\'));

/** The trimmed text, if it looks like the name of a type and not like a sentence or an address. */
function usualType(text: string | undefined): string | undefined {
  const type = text?.trim();
  if (type === undefined || !/^[\w .:/-]{1,128}$/.test(type)) return undefined;
  return /[A-Za-z0-9]/.test(type) && !type.includes('://') ? type : undefined;
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
