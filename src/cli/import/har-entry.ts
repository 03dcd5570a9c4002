/*
 * An entry of a HAR 1.2 file as an event of a JSON export. Files of this program come back as they were; those of others as
 * far as the format tells: what HTTP/1.1 cannot say is left out or percent-encoded, and who sent it is recognised as at capture.
 */
import { invalid } from '../../core/errors.ts';
import { type ImportedEvent, readEvent, record } from '../../core/exported-event.ts';
import type { HeaderPair } from '../../core/headers.ts';

const ownAddress = /^\/in\/[0-9a-hjkmnp-tv-z]{32}(?=\/|$)/;
const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?]*)(?:\?(.*))?$/is;

/** Finds the sender of a delivery, from all of its headers. */
export type DetectSender = (
  delivery: { rawHeaders: HeaderPair[] } & Pick<ImportedEvent, 'method' | 'path' | 'query' | 'body'>,
) => Pick<ImportedEvent, 'platform' | 'eventType'>;

/** @returns what `readEvent` takes @throws invalid with what is wrong */
export function fromHarEntry(value: unknown, detectSender: DetectSender): Record<string, unknown> {
  const entry = record(value, 'the entry');
  const request = record(entry['request'], 'request');
  const { startedDateTime } = entry;
  const receivedAt = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
  if (Number.isNaN(receivedAt)) throw invalid('startedDateTime is not a time');
  const [, path = '', query = null] = absolute.exec(sentUrl(entry, request['url'])) ?? [];
  const event = {
    receivedAt: Math.trunc(receivedAt),
    method: request['method'],
    path: encoded(path.replace(ownAddress, '')),
    query: query === null ? null : encoded(query),
    rawHeaders: headersOf(request['headers']),
    ...bodyOf(request['postData']),
  };
  if (isOwn(entry)) return { ...event, eventType: entry['_eventType'], platform: entry['_platform'] };
  return { ...event, ...detected(event, detectSender) };
}

const isOwn = (entry: Record<string, unknown>): boolean => '_eventType' in entry;

/** Before the header rules, like a delivery that arrives. @throws invalid */
function detected(event: Record<string, unknown>, detectSender: DetectSender) {
  const { method, path, query, body } = readEvent(event);
  // `readEvent` has refused anything else.
  const rawHeaders = event['rawHeaders'] as HeaderPair[];
  return detectSender({ method, path, query, rawHeaders, body });
}

/**
 * The address without what was never sent. HAR leaves fragments out, though not every browser does; in ours, which keeps what
 * came as it came, a # is part of it.
 */
function sentUrl(entry: Record<string, unknown>, url: unknown): string {
  if (typeof url !== 'string' || !absolute.test(url)) throw invalid('url is not absolute');
  return isOwn(entry) ? url : url.replace(/#.*$/s, '');
}

/** What no request line can hold, percent-encoded; a lone surrogate has no encoding. */
const encoded = (text: string): string =>
  text.toWellFormed().replace(/[^\x21-\x7e\x80-\xff]/gu, character => encodeURIComponent(character));

function headersOf(value: unknown): unknown {
  if (!Array.isArray(value)) throw invalid('headers is not a list');
  return (
    value
      .map(header => record(header, 'a header'))
      // Pseudo-headers are HTTP/2's request line.
      .filter(({ name }) => typeof name !== 'string' || !name.startsWith(':'))
      .map(({ name, value: content }) => [name, typeof content === 'string' ? asBytes(content) : content])
  );
}

/** A value beyond latin1 as the bytes that its UTF-8 has on the wire. */
const asBytes = (text: string): string => (/[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text);

function bodyOf(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return { payloadRaw: '', payloadEncoding: 'utf8' };
  const postData = record(value, 'postData');
  const { text = formOf(postData['params']) } = postData;
  const isBase64 = (postData['_encoding'] ?? postData['encoding']) === 'base64';
  return { payloadRaw: text, payloadEncoding: isBase64 ? 'base64' : 'utf8' };
}

/** A form of which only the fields were noted. */
function formOf(params: unknown): string {
  if (!Array.isArray(params)) return '';
  const fields = params.map(param => record(param, 'a parameter'));
  const form = new URLSearchParams();
  for (const { name, value } of fields) form.append(String(name), String(value ?? ''));
  return form.toString();
}
