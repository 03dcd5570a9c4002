/* Events in the form that the client returns, with parsed headers and payload. */
import type { FeedEvent } from './api-types.ts';

/** An event with its content. Fields that are null are damaged on the server's disk. */
export type CapturedEvent = FeedEvent & {
  endpointId: string;
  /** Without the `?`; null without a query. */
  query: string | null;
  /** In the order of arrival, with the names as sent. */
  rawHeaders: [string, string][] | null;
  /** Names in lower case; repeated headers are joined with `, `. */
  headers: Record<string, string>;
  /** The body, in `payloadEncoding`. */
  payloadRaw: string | null;
  payloadEncoding: 'utf8' | 'base64' | null;
  /** The parsed JSON body; null if it is empty or not JSON. `any`, so that tests can look into it. */
  // biome-ignore lint/suspicious/noExplicitAny: as the answer of JSON.parse.
  payload: any;
};

export function toCapturedEvent(endpointId: string, event: FeedEvent): CapturedEvent {
  const { query = null, rawHeaders = null, payloadRaw = null, payloadEncoding = null } = event;
  const headers = joinHeaders(rawHeaders ?? []);
  return {
    ...event,
    endpointId,
    query,
    rawHeaders,
    headers,
    payloadRaw,
    payloadEncoding,
    payload: parsed(payloadRaw, payloadEncoding),
  };
}

function joinHeaders(rawHeaders: readonly (readonly [string, string])[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of rawHeaders) {
    const key = name.toLowerCase();
    const before = joined.get(key);
    joined.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  // Even a header named `__proto__` becomes a property.
  return Object.fromEntries(joined);
}

function parsed(payloadRaw: string | null, encoding: CapturedEvent['payloadEncoding']): unknown {
  // Bytes that are not UTF-8 are not JSON.
  if (payloadRaw === null || encoding !== 'utf8') return null;
  try {
    return JSON.parse(payloadRaw);
  } catch {
    return null;
  }
}

/** The exact bytes of the body. @throws TypeError if they are damaged on the server's disk */
export function bodyBytes({
  payloadRaw,
  payloadEncoding,
}: Pick<CapturedEvent, 'payloadRaw' | 'payloadEncoding'>): Uint8Array {
  if (payloadRaw === null) throw new TypeError('the body of this event is damaged');
  if (payloadEncoding !== 'base64') return new TextEncoder().encode(payloadRaw);
  return Uint8Array.from(atob(payloadRaw), character => character.charCodeAt(0));
}
