/* JSON written to a stream chunk by chunk: a body is a literal of its text if it is UTF-8, else of its base64. */

import { isUtf8 } from 'node:buffer';
import type { MemoryReservation } from '../concurrency/memory-reservations.ts';
import type { YieldIfDue } from '../concurrency/time-slices.ts';
import { escapeJson, maxEscapedBytes } from './escape.ts';

/** JSON text, or UTF-8 bytes of a string literal that have yet to be escaped. */
export type Piece = string | Uint8Array;

/** UTF-8 bytes of JSON text. */
export type Verbatim = { verbatim: Uint8Array };

export type BodyEncoding = 'utf8' | 'base64';

const chunkBytes = 256 << 10;
/** A chunk with less space left than this counts as full. */
const reservedBytes = 16 << 10;
/** Divisible by three, so that pieces of base64 join. */
const base64PieceBytes = 3 << 14;

export const encodingOf = (body: Uint8Array): BodyEncoding => (isUtf8(body) ? 'utf8' : 'base64');

export function* bodyLiteral(body: Uint8Array, encoding: BodyEncoding): Generator<Piece> {
  yield '"';
  if (encoding === 'utf8') yield body;
  else yield* base64Pieces(body);
  yield '"';
}

export function* base64Pieces(body: Uint8Array): Generator<string> {
  for (let start = 0; start < body.length; start += base64PieceBytes)
    yield Buffer.from(body.subarray(start, start + base64PieceBytes)).toString('base64');
}

/** Chunks of about `chunkBytes`, each of its own memory. */
export function createChunks() {
  let chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let length = 0;
  const take = (): Uint8Array => {
    const taken = chunk.subarray(0, length);
    chunk = Buffer.allocUnsafeSlow(chunkBytes);
    length = 0;
    return taken;
  };
  return {
    take,
    isFull: (): boolean => length > chunkBytes - reservedBytes,
    text(text: string): void {
      // In UTF-8 a UTF-16 unit takes up to three bytes.
      const needed = length + 3 * text.length;
      if (needed > chunk.length) chunk = Buffer.concat([chunk.subarray(0, length)], needed);
      length += chunk.write(text, length);
    },
    verbatim(bytes: Uint8Array): void {
      const needed = length + bytes.length;
      if (needed > chunk.length) chunk = Buffer.concat([chunk.subarray(0, length)], needed);
      chunk.set(bytes, length);
      length = needed;
    },
    *escaped(bytes: Uint8Array): Generator<Uint8Array> {
      for (let start = 0; start < bytes.length; ) {
        const fits = Math.floor((chunk.length - length) / maxEscapedBytes);
        const end = Math.min(bytes.length, start + fits);
        length = escapeJson(bytes, start, end, chunk, length);
        start = end;
        if (start < bytes.length && length > chunk.length - reservedBytes) yield take();
      }
    },
  };
}

/** All pieces as chunks. Verbatim pieces must be small. */
export async function* writePieces(
  pieces: Iterable<Piece | Verbatim>,
  yieldIfDue: YieldIfDue,
): AsyncGenerator<Uint8Array> {
  const chunks = createChunks();
  for (const piece of pieces) {
    const pause = yieldIfDue();
    if (pause) await pause;
    if (typeof piece === 'string') chunks.text(piece);
    else if ('verbatim' in piece) chunks.verbatim(piece.verbatim);
    else
      for (const chunk of chunks.escaped(piece)) {
        yield chunk;
        const rest = yieldIfDue();
        if (rest) await rest;
      }
    if (chunks.isFull()) yield chunks.take();
  }
  yield chunks.take();
}

export type StreamHooks = {
  /** Called when a chunk is ready; `fail` ends the stream with an error. */
  onOffered?: (fail: (error: Error) => void) => void;
  /** Called when the client has read the chunk. */
  onTaken?: () => void;
};

/** @param onEnd called when the stream ends, fails or is cancelled */
export function toStream(
  chunks: AsyncGenerator<Uint8Array>,
  onEnd: () => void,
  { onOffered, onTaken }: StreamHooks = {},
): ReadableStream<Uint8Array> {
  const end = (): void => {
    onEnd();
    chunks.return(undefined).catch(() => {});
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          onTaken?.();
          const { done, value } = await chunks.next();
          if (!done) {
            controller.enqueue(value);
            onOffered?.(error => {
              controller.error(error);
              end();
            });
            return;
          }
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

/**
 * A response stream that holds a reservation until it ends, fails, is cancelled, or its client stops reading while others wait.
 * @param what it sends
 */
export function toReservedStream(
  chunks: AsyncGenerator<Uint8Array>,
  reservation: MemoryReservation | undefined,
  what = 'a large event',
): ReadableStream<Uint8Array> {
  if (!reservation) return toStream(chunks, () => {});
  return toStream(chunks, reservation.release, {
    onOffered: fail =>
      reservation.offered(() => fail(new Error(`a client stopped reading ${what} while others waited for the memory`))),
    onTaken: reservation.taken,
  });
}
