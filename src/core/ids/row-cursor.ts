/* Cursors of lists that are ordered by row number. */
import { decodeNumber, encodeNumber } from '../encoding/base32.ts';
import { invalidAt } from '../errors.ts';

const letters = 11;

export const rowCursor = (seq: number): string => encodeNumber(seq, letters);

/** @returns the row number; undefined without a cursor @throws invalid */
export function readRowCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const seq = cursor.length === letters ? decodeNumber(cursor) : undefined;
  if (seq === undefined) throw invalidAt(['cursor'], 'invalid', 'invalid cursor');
  return seq;
}
