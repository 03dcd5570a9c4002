/*
 * Events of a feed with their contents, at most 4 MiB in a response. The length of each body in JSON is computed before anything
 * is sent, so a response has only whole events. Their bodies are in memory until they are sent; a response with more bytes than a
 * small event waits its turn and reserves that memory (core/concurrency/content-reads.ts).
 */

import { withinBytes } from '../../core/blocks/group-by-size.ts';
import { bytesToRead, type ContentReads, type Reader } from '../../core/concurrency/content-reads.ts';
import type { CreateSlices, YieldIfDue } from '../../core/concurrency/time-slices.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { seqOf } from '../../core/ids/ids.ts';
import { escapedLength } from '../../core/json/escape.ts';
import {
  type BodyEncoding,
  bodyLiteral,
  encodingOf,
  type Piece,
  toReservedStream,
  writePieces,
} from '../../core/json/output.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import type { FeedEvent } from './model.ts';
import type { FeedContent, FeedStore } from './store.ts';

/** A larger event is the only one in its response. */
const maxAnswerBytes = 4 << 20;
/** The space for the fields beside the events. */
const envelopeBytes = 256;
const sliceBytes = 64 << 10;

type Entry = { before: string; body: Uint8Array | null; encoding: BodyEncoding; bytes: number };

export type FilledEvents = {
  /** How many of the first events the response covers, including deleted ones. */
  taken: number;
  /** @param rest the other fields of the response */
  toStream: (rest: object) => ReadableStream<Uint8Array>;
};
const isLarge = ({ size }: FeedEvent): boolean => size > largeBodyBytes;

export function createFeedContent(options: {
  store: Pick<FeedStore, 'contents' | 'largeContent'>;
  createSlices: CreateSlices;
  contentReads: Pick<ContentReads, 'run'>;
}) {
  const { store, createSlices, contentReads } = options;
  const fill = async (
    endpoint: number,
    planned: readonly FeedEvent[],
    yieldIfDue: YieldIfDue,
  ): Promise<Omit<FilledEvents, 'toStream'> & { entries: Entry[] }> => {
    const small = await store.contents(endpoint, planned.filter(event => !isLarge(event)).map(seqOf));
    const entries: Entry[] = [];
    let bytes = envelopeBytes;
    for (const [index, event] of planned.entries()) {
      const content = isLarge(event)
        ? await store.largeContent(endpoint, seqOf(event), yieldIfDue)
        : small.get(seqOf(event));
      if (content === undefined) continue;
      const entry = await toEntry(event, content, yieldIfDue);
      bytes += entry.bytes;
      if (entries.length > 0 && bytes > maxAnswerBytes) return { taken: index, entries };
      entries.push(entry);
    }
    return { taken: planned.length, entries };
  };

  /**
   * @param events at least one
   * @throws as `ContentReads.run`
   */
  return async (reader: Reader, endpoint: number, events: readonly FeedEvent[]): Promise<FilledEvents> => {
    // These may fit into a response: no body gets shorter in JSON.
    const planned = withinBytes(events, maxAnswerBytes);
    const bytes = planned.reduce((sum, { size }) => sum + size, 0);
    // Small responses do not wait for other reads of the account.
    return contentReads.run(bytes > largeBodyBytes ? reader : undefined, async read => {
      await read.hold(bytesToRead(bytes));
      const { taken, entries } = await fill(endpoint, planned, createSlices(read.signal));
      const memory = read.keep();
      const write = (rest: object) => answerChunks(entries, rest, createSlices());
      return { taken, toStream: rest => toReservedStream(write(rest), memory, 'large events of a feed') };
    });
  };
}

async function toEntry(event: FeedEvent, content: FeedContent, yieldIfDue: YieldIfDue): Promise<Entry> {
  const headers: readonly HeaderPair[] | undefined = content?.headers;
  const query = content?.query?.toString('latin1') ?? null;
  const fields = JSON.stringify({ ...event, query, rawHeaders: headers ?? null });
  const before = `${fields.slice(0, -1)},"payloadRaw":`;
  const body = content?.body ?? null;
  const encoding = body === null ? 'utf8' : encodingOf(body);
  const literalBytes = body === null ? 0 : await literalLength(body, encoding, yieldIfDue);
  // 64 bytes cover the rest of the event and a comma.
  return { before, body, encoding, bytes: Buffer.byteLength(before) + literalBytes + 64 };
}

async function literalLength(body: Uint8Array, encoding: BodyEncoding, yieldIfDue: YieldIfDue): Promise<number> {
  if (encoding === 'base64') return Math.ceil(body.length / 3) * 4;
  let length = 0;
  for (let start = 0; start < body.length; start += sliceBytes) {
    length += escapedLength(body, start, Math.min(body.length, start + sliceBytes));
    const pause = yieldIfDue();
    if (pause) await pause;
  }
  return length;
}

function answerChunks(entries: readonly Entry[], rest: object, yieldIfDue: YieldIfDue): AsyncGenerator<Uint8Array> {
  const pieces = function* (): Generator<Piece> {
    yield '{"events":[';
    for (const [index, { before, body, encoding }] of entries.entries()) {
      yield `${index > 0 ? ',' : ''}${before}`;
      if (body === null) yield 'null,"payloadEncoding":null}';
      else {
        yield* bodyLiteral(body, encoding);
        yield `,"payloadEncoding":"${encoding}"}`;
      }
    }
    yield `],${JSON.stringify(rest).slice(1)}`;
  };
  return writePieces(pieces(), yieldIfDue);
}
