/* The replays that a listener gets, as JSON text. A body can be large: it is written in time slices, and never copied as a whole. */
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { bodyLiteral, encodingOf, type Piece, toStream, writePieces } from '../../core/json/output.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import type { EventSummary } from '../events/model.ts';
import type { Pending } from './connections.ts';
import type { ListenerReplay } from './model.ts';

export type GivenReplay = { pending: Pending; event: EventSummary; timeoutMs: number };

export type ReplaysWriter = ReturnType<typeof createReplaysWriter>;

export function createReplaysWriter({ createSlices }: { createSlices: () => YieldIfDue }) {
  return (given: readonly GivenReplay[]): ReadableStream<Uint8Array> => {
    let breakOff: ((error: Error) => void) | undefined;
    const [first] = given;
    // The stream keeps the body in memory, and a slow reader would keep it beyond the deadline.
    if (given.length === 1 && first && first.pending.replay.body.length > largeBodyBytes)
      void first.pending.settled.then(() => breakOff?.(new Error('a listener had not read a replay by its deadline')));
    return toStream(writePieces(pieces(given), createSlices()), () => (breakOff = undefined), {
      onOffered: fail => {
        breakOff = fail;
      },
    });
  };
}

function* pieces(given: readonly GivenReplay[]): Generator<Piece> {
  yield '{"replays":[';
  for (const [index, { pending, event, timeoutMs }] of given.entries()) {
    const { id, replay } = pending;
    const { query, method, headers, body, isSigned, isEdited } = replay;
    const bodyEncoding = encodingOf(body);
    const fields: Omit<ListenerReplay, 'body'> = {
      ...{ id, event, query, method, bodyEncoding, timeoutMs, signed: isSigned, edited: isEdited },
      headers: headers.map(([name, value]) => [name, value]),
    };
    yield `${index > 0 ? ',' : ''}${JSON.stringify(fields).slice(0, -1)},"body":`;
    yield* bodyLiteral(body, bodyEncoding);
    yield '}';
  }
  yield ']}';
}
