/* How far an endpoint's feed has been read. Ends with letters of the endpoint's id: another endpoint's cursor is refused. */
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
