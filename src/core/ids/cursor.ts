/* The event list's keyset cursor: the position of the last event shown. Opaque to clients. */
import { decodeNumber, encodeNumber } from '../encoding/base32.ts';

export type Position = { receivedAt: number; seq: number };

// A clock that was set before 1970 gives negative times; the offset keeps the letters sortable and parsable.
const timeOffset = 2 ** 50;
const letters = 11;

export function encodeCursor({ receivedAt, seq }: Position): string {
  return encodeNumber(receivedAt + timeOffset, letters) + encodeNumber(seq, letters);
}

/** undefined for anything that `encodeCursor` cannot have made. */
export function decodeCursor(cursor: string): Position | undefined {
  if (cursor.length !== 2 * letters) return undefined;
  const time = decodeNumber(cursor.slice(0, letters));
  const seq = decodeNumber(cursor.slice(letters));
  return time === undefined || seq === undefined ? undefined : { receivedAt: time - timeOffset, seq };
}
