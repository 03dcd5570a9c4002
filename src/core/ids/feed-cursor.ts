/*
 * A position in the feed of an endpoint: the row number up to which it has been read. Opaque to clients. It ends with letters of
 * the endpoint's id, so that the cursor of another endpoint is refused.
 */
import { decodeNumber, encodeNumber } from '../encoding/base32.ts';

const seqLetters = 11;
const tailOf = (endpointId: string): string => endpointId.slice(-8);

export const encodeFeedCursor = (endpointId: string, seq: number): string =>
  encodeNumber(seq, seqLetters) + tailOf(endpointId);

/** undefined for anything that `encodeFeedCursor` cannot have made for this endpoint. */
export function decodeFeedCursor(endpointId: string, cursor: string): number | undefined {
  const isOwn = cursor.length === seqLetters + tailOf(endpointId).length && cursor.endsWith(tailOf(endpointId));
  return isOwn ? decodeNumber(cursor.slice(0, seqLetters)) : undefined;
}
