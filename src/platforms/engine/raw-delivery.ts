/* Restores a delivery as it was received from its stored bytes. */
import { latin1 } from '../../core/encoding/buffer.ts';
import type { HeaderPair } from '../../core/headers.ts';
import type { RawDelivery } from './model.ts';

export function toRawDelivery(stored: {
  method: string;
  path: Uint8Array;
  query: Uint8Array | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
}): RawDelivery {
  const { method, path, query, headers: rawHeaders, body } = stored;
  return { method, path: latin1(path), query: query && latin1(query), rawHeaders, body };
}
