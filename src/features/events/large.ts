/*
 * A large event as an answer: written a chunk at a time, only as fast as it is read, in bites of the main thread's time. The body
 * has been checked before this begins, so that no byte of a damaged one is given out.
 */

import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { normalizeJson } from '../../core/json/normalizer.ts';
import { bodyLiteral, encodingOf, type Piece, toStream, type Verbatim, writePieces } from '../../core/json/output.ts';
import { validateJson } from '../../core/json/validator.ts';
import { maxParsedBodyBytes } from '../../core/limits.ts';
import { maxDepth } from './event-json.ts';
import type { MemoryReservation } from './memory-reservations.ts';
import type { EventDetail } from './model.ts';

type PayloadField = 'payload' | 'payloadRaw' | 'payloadEncoding';
type LaterField = 'sha256' | 'sourceIp' | 'signature' | 'replays';

/** What stands before and after the payload's fields. */
export type DetailFields = {
  before: Omit<EventDetail, PayloadField | LaterField>;
  after: Pick<EventDetail, LaterField>;
};

const rawChunkBytes = 256 << 10;
/** How much of a body is validated at once. */
const sliceBytes = 64 << 10;

/** The JSON that `JSON.stringify` would make of the whole detail, but for space and repeated keys in the payload. */
export async function* detailChunks(
  { before, after }: DetailFields,
  body: Uint8Array,
  yieldIfDue: YieldIfDue,
): AsyncGenerator<Uint8Array> {
  const encoding = encodingOf(body);
  const isParsed = encoding === 'utf8' && (await isJson(body, yieldIfDue));
  const pieces = function* (): Generator<Piece | Verbatim> {
    yield `${JSON.stringify(before).slice(0, -1)},"payload":`;
    if (isParsed) yield* normalizeJson(body);
    else yield 'null';
    yield ',"payloadRaw":';
    yield* bodyLiteral(body, encoding);
    yield `,"payloadEncoding":"${encoding}",${JSON.stringify(after).slice(1)}`;
  };
  yield* writePieces(pieces(), yieldIfDue);
}

/** The bytes alone, each chunk of its own memory. */
export async function* bodyChunks(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length; start += rawChunkBytes)
    yield new Uint8Array(body.subarray(start, start + rawChunkBytes));
}

/** As `payload` has it: not of what is so large or deep that its reader would suffer. */
async function isJson(body: Uint8Array, yieldIfDue: YieldIfDue): Promise<boolean> {
  if (body.length > maxParsedBodyBytes) return false;
  const validation = validateJson(body, { sliceBytes, maxDepth });
  for (;;) {
    const { done, value } = validation.next();
    if (done) return value;
    const pause = yieldIfDue();
    if (pause) await pause;
  }
}

/** The answer's stream. It releases the reservation when it ends or fails, when the client leaves, or when it reads nothing while others wait. */
export function toReservedStream(
  chunks: AsyncGenerator<Uint8Array>,
  reservation: MemoryReservation,
): ReadableStream<Uint8Array> {
  return toStream(chunks, reservation.release, {
    onOffered: fail =>
      reservation.offered(() =>
        fail(new Error('a client took nothing of a large event for too long while others waited')),
      ),
    onTaken: reservation.taken,
  });
}
