/*
 * A body as a JSON string literal: its text when it is UTF-8, else base64 (interface "API beyond the contract"). Long bodies
 * come in pieces, so that none of them is multiplied in memory.
 */
import { isUtf8 } from 'node:buffer';
import type { Piece } from './format.ts';

export type BodyEncoding = 'utf8' | 'base64';

/** Divisible by three, so that pieces of base64 join. */
const base64PieceBytes = 3 << 14;

export const encodingOf = (body: Uint8Array): BodyEncoding => (isUtf8(body) ? 'utf8' : 'base64');

/** The literal with its quotes. */
export function* bodyLiteral(body: Uint8Array, encoding: BodyEncoding): Generator<Piece> {
  yield '"';
  if (encoding === 'utf8') yield body;
  else
    for (let start = 0; start < body.length; start += base64PieceBytes)
      yield Buffer.from(body.subarray(start, start + base64PieceBytes)).toString('base64');
  yield '"';
}
