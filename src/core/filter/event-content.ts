/* The fields of one event's content, each read on first use. */
import type { HeaderPair } from '../headers.ts';

export type EventContent = {
  readonly headers: readonly HeaderPair[];
  /** Decoded pairs, in order. */
  readonly query: () => readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
};

/** @param query as received, undecoded; null without one */
export function createEventContent({
  headers,
  query,
  body,
}: {
  headers: readonly HeaderPair[];
  query: Uint8Array | string | null;
  body: Uint8Array;
}): EventContent {
  return { headers, query: () => [[String(query), '']], body };
}
