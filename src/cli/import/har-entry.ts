/*
 * Converts an entry of a HAR 1.2 file to an event of a JSON export. An entry that Hooktape exported is restored exactly. In an
 * entry of another program, text that HTTP/1.1 cannot carry is removed or percent-encoded, and the platform is detected.
 */
import { invalidAt } from '../../core/errors.ts';
import { type ImportedEvent, readEvent } from '../../core/events/exported-event.ts';
import type { FieldPath } from '../../core/field-problems.ts';
import type { HeaderPair } from '../../core/headers.ts';

const ingestPath = /^\/in\/[0-9a-hjkmnp-tv-z]{32}(?=\/|$)/;
const absoluteUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?]*)(?:\?(.*))?$/is;

/** Detects the platform and event type of a delivery, from all of its headers. */
export type DetectPlatform = (
  delivery: { rawHeaders: HeaderPair[] } & Pick<ImportedEvent, 'method' | 'path' | 'query' | 'body'>,
) => Pick<ImportedEvent, 'platform' | 'eventType'>;

/** @returns input for `readEvent` @throws invalid */
export function fromHarEntry(value: unknown, detectPlatform: DetectPlatform): Record<string, unknown> {
  const entry = record([], value);
  const request = record(['request'], entry['request']);
  const { startedDateTime } = entry;
  const receivedAt = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
  if (Number.isNaN(receivedAt)) throw invalidAt(['startedDateTime'], 'must be a time');
  const [, path = '', query = null] = absoluteUrl.exec(sentUrl(entry, request['url'])) ?? [];
  const event = {
    receivedAt: Math.trunc(receivedAt),
    method: request['method'],
    path: encoded(path.replace(ingestPath, '')),
    query: query === null ? null : encoded(query),
    rawHeaders: headersOf(request['headers']),
    ...bodyOf(request['postData']),
  };
  if (isHooktapeEntry(entry)) {
    const { _eventType: eventType, _platform: platform, _pin: pin, _tags: tags } = entry;
    const { _answered: answered, _refused: refused, _redacted: redacted } = entry;
    return { ...event, eventType, platform, pin, tags, answered, refused, redacted };
  }
  return { ...event, ...detected(event, detectPlatform) };
}

const isHooktapeEntry = (entry: Record<string, unknown>): boolean => '_eventType' in entry;

/** Detects with all headers, before the header rules, like capture. @throws invalid */
function detected(event: Record<string, unknown>, detectPlatform: DetectPlatform) {
  const { method, path, query, body } = readEvent(event);
  // `readEvent` has validated them.
  const rawHeaders = event['rawHeaders'] as HeaderPair[];
  return detectPlatform({ method, path, query, rawHeaders, body });
}

/** Without the fragment, which is never sent but which some browsers write. A Hooktape export has only what was received. */
function sentUrl(entry: Record<string, unknown>, url: unknown): string {
  if (typeof url !== 'string' || !absoluteUrl.test(url)) throw invalidAt(['request', 'url'], 'must be absolute');
  return isHooktapeEntry(entry) ? url : url.replace(/#.*$/s, '');
}

/** Percent-encodes characters that a request line cannot contain. Lone surrogates become U+FFFD. */
const encoded = (text: string): string =>
  text.toWellFormed().replace(/[^\x21-\x7e\x80-\xff]/gu, character => encodeURIComponent(character));

function headersOf(value: unknown): unknown {
  if (!Array.isArray(value)) throw invalidAt(['request', 'headers'], 'must be a list');
  return (
    value
      .map((header, i) => record(['request', 'headers', i], header))
      // Pseudo-headers are the request line of HTTP/2.
      .filter(({ name }) => typeof name !== 'string' || !name.startsWith(':'))
      .map(({ name, value: content }) => [name, typeof content === 'string' ? asBytes(content) : content])
  );
}

/** Encodes a value with non-latin1 characters as UTF-8, one character per byte. */
const asBytes = (text: string): string => (/[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text);

function bodyOf(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return { payloadRaw: '', payloadEncoding: 'utf8' };
  const postData = record(['request', 'postData'], value);
  const { text = formOf(postData['params']) } = postData;
  const isBase64 = (postData['_encoding'] ?? postData['encoding']) === 'base64';
  return { payloadRaw: text, payloadEncoding: isBase64 ? 'base64' : 'utf8' };
}

/** The body of a form for which the file has only the fields. */
function formOf(params: unknown): string {
  if (!Array.isArray(params)) return '';
  const fields = params.map((param, i) => record(['request', 'postData', 'params', i], param));
  const form = new URLSearchParams();
  for (const { name, value } of fields) form.append(String(name), String(value ?? ''));
  return form.toString();
}

function record(path: FieldPath, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidAt(path, 'must be an object');
  return value as Record<string, unknown>;
}
