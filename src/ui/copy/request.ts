/*
 * The request that a copied command sends: as captured, minus what only the captured connection had and what was never stored.
 * Commands are built from hostile text. Each builder quotes for one target language; none of them ever emits a control character.
 */

export type CopyRequest = {
  method: string;
  /** Where the command sends to: an absolute http(s) address. */
  url: string;
  headers: [name: string, value: string][];
  body: Uint8Array;
};

/** Headers of the connection, not of the message: the client that runs the command sets its own (RFC 9110, 7.6.1). */
const connectionHeaders = new Set(
  'connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' '),
);
const redactedValue = '[redacted]';

/** Splits captured headers into those worth sending and the names of those whose value was not stored. */
export function sendableHeaders(rawHeaders: [string, string][]): { headers: [string, string][]; redacted: string[] } {
  const headers = rawHeaders.filter(
    ([name, value]) => !connectionHeaders.has(name.toLowerCase()) && value !== redactedValue,
  );
  const redacted = rawHeaders.filter(([, value]) => value === redactedValue).map(([name]) => name);
  return { headers, redacted };
}

/** `base` with the captured path and query behind it, exactly as they were sent. */
export const withTarget = (base: string, path: string, query: string | null): string =>
  base.replace(/[?#].*$/s, '').replace(/\/$/, path === '' ? '/' : '') + path + (query === null ? '' : `?${query}`);

export const hasHeader = (request: CopyRequest, name: string): boolean =>
  request.headers.some(([key]) => key.toLowerCase() === name);

/** The name of an HTTP method that can stand bare in a command; anything else cannot have been sent by a client. */
export const isToken = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
