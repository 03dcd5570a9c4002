/*
 * The request that a copied command sends: the captured request without connection headers and redacted values. Its parts are untrusted:
 * each builder quotes them for its target language, and none emits a control character.
 */

export type CopyRequest = {
  method: string;
  /** The absolute http(s) URL to send to. */
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
