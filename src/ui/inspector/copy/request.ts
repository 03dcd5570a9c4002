/* The request that a copied command sends. Its parts are untrusted: each builder quotes them, and none emits a control character. */

import type { EventDetail } from '../../../features/events/model.ts';
import { bytesOf } from '../body/bytes.ts';

export type CopyRequest = {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: Uint8Array;
};

/** Connection headers (RFC 9110, 7.6.1), which the client that runs the command sets itself. */
const connectionHeaders = new Set(
  'connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' '),
);
const redactedValue = '[redacted]';

/** The headers to send, and the names of the headers whose value was not stored. */
export function sendableHeaders(rawHeaders: [string, string][]): { headers: [string, string][]; redacted: string[] } {
  const headers = rawHeaders.filter(
    ([name, value]) => !connectionHeaders.has(name.toLowerCase()) && value !== redactedValue,
  );
  const redacted = rawHeaders.filter(([, value]) => value === redactedValue).map(([name]) => name);
  return { headers, redacted };
}

/** Appends the captured path and query to `base`, unchanged. */
export const withTarget = (base: string, path: string, query: string | null): string =>
  base.replace(/[?#].*$/s, '').replace(/\/$/, path === '' ? '/' : '') + path + (query === null ? '' : `?${query}`);

export const hasHeader = (request: CopyRequest, name: string): boolean =>
  request.headers.some(([key]) => key.toLowerCase() === name);

/** Whether the text is an HTTP token (RFC 9110, 5.6.2), such as a method or a header name. */
export const isToken = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);

/** Where the event came in: the endpoint's URL with the captured path and query. */
export const endpointTarget = (event: Pick<EventDetail, 'path' | 'query'>, endpointUrl: string): string =>
  withTarget(endpointUrl, event.path, event.query ?? null);

export const requestTo = (event: EventDetail, url: string): CopyRequest => ({
  method: event.method ?? 'POST',
  url,
  headers: sendableHeaders(event.rawHeaders).headers,
  body: bytesOf(event.payloadRaw, event.payloadEncoding),
});
