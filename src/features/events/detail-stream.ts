/*
 * Streams the detail or the body of a large event: a chunk at a time, as fast as the client reads, in short time slices. The body
 * is compared with its checksum first, so no byte of a damaged event is sent.
 */

import { advance, type YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { bodyLiteral, encodingOf, type Piece, type Verbatim, writePieces } from '../../core/json/output.ts';
import { validateJson } from '../../core/json/validator.ts';
import { maxParsedBodyBytes } from '../../core/limits.ts';
import { maxDepth } from './event-json.ts';
import type { EventDetail } from './model.ts';
import { normalizeJson } from './normalizer.ts';

type PayloadField = 'payload' | 'payloadRaw' | 'payloadEncoding';
type TrailingField = 'sha256' | 'sourceIp' | 'signature' | 'replays' | 'forwards';

/** The fields before and after the payload. */
export type DetailFields = {
  before: Omit<EventDetail, PayloadField | TrailingField>;
  after: Pick<EventDetail, TrailingField>;
};

const rawChunkBytes = 256 << 10;
/** How much of a body is validated at once. */
const sliceBytes = 64 << 10;

/** The JSON text of the detail. White space and repeated keys in the payload stay as received. */
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

/** The body in chunks, each a copy. */
export async function* bodyChunks(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length; start += rawChunkBytes)
    yield new Uint8Array(body.subarray(start, start + rawChunkBytes));
}

/** Whether `payload` has the parsed body: JSON that is not too large or too deep for common parsers. */
async function isJson(body: Uint8Array, yieldIfDue: YieldIfDue): Promise<boolean> {
  if (body.length > maxParsedBodyBytes) return false;
  return advance(validateJson(body, { sliceBytes, maxDepth }), yieldIfDue);
}
