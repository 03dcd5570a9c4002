/*
 * A body as a JSON string literal: its text when it is UTF-8, else base64 (interface "API beyond the contract"). Long bodies
 * come in pieces, so that escaping never multiplies one of them in memory.
 */
import { isUtf8 } from 'node:buffer';

export type BodyEncoding = 'utf8' | 'base64';

/** Of the body's bytes; divisible by three, so that base64 pieces join. */
const pieceBytes = 3 << 16;

export const encodingOf = (body: Uint8Array): BodyEncoding => (isUtf8(body) ? 'utf8' : 'base64');

/** The literal with its quotes, in one piece or several. */
export function* bodyLiteral(body: Uint8Array, encoding: BodyEncoding): Generator<string> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length <= pieceBytes) {
    yield encoding === 'utf8' ? JSON.stringify(bytes.toString('utf8')) : `"${bytes.toString('base64')}"`;
    return;
  }
  yield '"';
  for (let start = 0; start < bytes.length; ) {
    const end = encoding === 'utf8' ? characterStart(bytes, start + pieceBytes) : start + pieceBytes;
    const piece = bytes.subarray(start, end);
    yield encoding === 'utf8' ? JSON.stringify(piece.toString('utf8')).slice(1, -1) : piece.toString('base64');
    start = end;
  }
  yield '"';
}

/** The start of the UTF-8 character that has a byte at `index`. */
function characterStart(bytes: Uint8Array, index: number): number {
  let start = Math.min(index, bytes.length);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
