/*
 * Streams the detail or the body of a large event: a chunk at a time, as fast as the client reads, in short time slices. The body
 * is checked against its hash before, so no byte of a damaged event is sent.
 */
import { createJsonCheck, jsonPieces } from '../../core/json-check.ts';
import { bodyLiteral, encodingOf, type Piece, toStream, type Verbatim, writePieces } from '../../core/json-output.ts';
import { maxParsedBodyBytes } from '../../core/limits.ts';
import type { MemorySlot } from '../../core/memory-slots.ts';
import type { Turn } from '../../core/stream-pace.ts';
import { maxDepth } from './event-json.ts';
import type { EventDetail } from './model.ts';

type PayloadField = 'payload' | 'payloadRaw' | 'payloadEncoding';
type TrailingField = 'sha256' | 'sourceIp' | 'signature' | 'replays';

/** The fields before and after the payload. */
export type DetailFields = {
  before: Omit<EventDetail, PayloadField | TrailingField>;
  after: Pick<EventDetail, TrailingField>;
};

const rawChunkBytes = 256 << 10;

/** The JSON text of the detail. White space and repeated keys in the payload stay as received. */
export async function* detailChunks(
  { before, after }: DetailFields,
  body: Uint8Array,
  turn: Turn,
): AsyncGenerator<Uint8Array> {
  const encoding = encodingOf(body);
  const isParsed = encoding === 'utf8' && (await isJson(body, turn));
  const pieces = function* (): Generator<Piece | Verbatim> {
    yield `${JSON.stringify(before).slice(0, -1)},"payload":`;
    if (isParsed) yield* jsonPieces(body);
    else yield 'null';
    yield ',"payloadRaw":';
    yield* bodyLiteral(body, encoding);
    yield `,"payloadEncoding":"${encoding}",${JSON.stringify(after).slice(1)}`;
  };
  yield* writePieces(pieces(), turn);
}

/** The body in chunks, each a copy. */
export async function* bodyChunks(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length; start += rawChunkBytes)
    yield new Uint8Array(body.subarray(start, start + rawChunkBytes));
}

/** Whether `payload` has the parsed body: JSON that is not too large or too deep for common parsers. */
async function isJson(body: Uint8Array, turn: Turn): Promise<boolean> {
  if (body.length > maxParsedBodyBytes) return false;
  const next = createJsonCheck(body, maxDepth);
  for (;;) {
    const result = next();
    if (result !== undefined) return result;
    const pause = turn();
    if (pause) await pause;
  }
}

/** A response stream that holds a slot until it ends, fails, is cancelled, or its client stops reading while others wait. */
export function toSlotStream(chunks: AsyncGenerator<Uint8Array>, slot: MemorySlot): ReadableStream<Uint8Array> {
  return toStream(chunks, slot.release, {
    onOffered: fail =>
      slot.offered(() => fail(new Error('a client stopped reading a large event while others waited for its memory'))),
    onTaken: slot.taken,
  });
}
