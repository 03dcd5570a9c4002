/* Reading one event: its detail, its exact bytes, a part of it. Large ones in slices, and not too many at a time. */

import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { AppError, notFound } from '../../core/errors.ts';
import { joinHeaders } from '../../core/headers.ts';
import { parseEventId } from '../../core/ids.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import { queryPairs } from '../../core/request-target.ts';
import { DamagedError, type Intact, unpackIntact, unpackIntactInSlices } from '../../core/stored-content.ts';
import { queryText, toAttempt, toPayload, toSummary } from './event-json.ts';
import { type EventExcerpt, excerptOf, type Window } from './excerpt.ts';
import { bodyChunks, type DetailFields, detailChunks, toReservedStream } from './large.ts';
import type { MemoryReservation, MemoryReservations } from './memory-reservations.ts';
import type { EventDetail } from './model.ts';
import type { EventReader, LargeReader, StoredEvent, Verdicts } from './service.ts';
import type { DetailRow, EventsStore, FoundRow } from './store.ts';

const isLarge = ({ size }: { size: number }): boolean => size > largeBodyBytes;

export function createSingleEvents({
  store,
  since,
  verdicts,
  createSlices,
  memoryReservations,
}: {
  store: Pick<EventsStore, 'find' | 'content' | 'attempts'>;
  /** The oldest time of receipt that this reader may still see. */
  since: (reader: EventReader) => number;
  verdicts: Pick<Verdicts, 'judge'>;
  createSlices: () => YieldIfDue;
  memoryReservations: MemoryReservations;
}) {
  /** @throws not_found */
  const found = async (reader: EventReader, id: string): Promise<FoundRow> => {
    const parsed = parseEventId(id);
    const row = parsed && (await store.find(reader.teamId, parsed.seq, parsed.nonce, since(reader)));
    if (!row) throw notFound('event');
    return row;
  };

  /** What the disk has altered is neither shown nor sent on: it is not what came. @throws damaged */
  const intact = async (id: string, row: DetailRow): Promise<Intact> => {
    try {
      return isLarge(row) ? await unpackIntactInSlices(row, createSlices()) : unpackIntact(row);
    } catch (cause) {
      if (!(cause instanceof DamagedError)) throw cause;
      throw new AppError('damaged', `event ${id} is damaged on disk: ${cause.message}`, { cause });
    }
  };

  /** With its content, which has been checked. @throws not_found, damaged */
  const read = async (id: string, { endpointId, token, contentBytes: _, ...row }: FoundRow): Promise<StoredEvent> => {
    const content = row.content ?? (await store.content(row));
    if (!content) throw notFound('event');
    const full = { ...row, content };
    const { headers, body } = await intact(id, full);
    return { row: full, endpointId, token, headers, body };
  };

  /** The same; with a reservation, which the caller releases, when the event is large. @throws rate_limited, overloaded, too */
  const open = async (
    reader: LargeReader,
    id: string,
    signal?: AbortSignal,
  ): Promise<{ event: StoredEvent; reservation: MemoryReservation | undefined }> => {
    const row = await found(reader, id);
    if (!isLarge(row)) return { event: await read(id, row), reservation: undefined };
    const reservation = await memoryReservations.reserve(reader.accountId, row.size + row.contentBytes, signal);
    try {
      return { event: await read(id, row), reservation };
    } catch (error) {
      reservation.release();
      throw error;
    }
  };

  const fields = async ({ row, endpointId, token, headers, body }: StoredEvent): Promise<DetailFields> => {
    const [[signature = null], attempts] = await Promise.all([
      verdicts.judge({ seq: row.endpoint, token }, [{ ...row, headers, body }]),
      store.attempts(row.seq),
    ]);
    const { payloadPreview: _, ...summary } = toSummary(row, signature);
    const query = queryText(row.query);
    return {
      before: {
        ...summary,
        endpointId,
        headers: joinHeaders(headers),
        rawHeaders: headers.map(([name, value]) => [name, value]),
        query,
        params: queryPairs(query),
      },
      after: {
        sha256: row.sha256.toString('hex'),
        sourceIp: row.sourceIp,
        signature,
        replays: attempts.map(toAttempt),
      },
    };
  };

  return {
    /** In full, for whoever bounds how many are held. @throws not_found, damaged */
    stored: async (reader: EventReader, id: string): Promise<StoredEvent> => read(id, await found(reader, id)),

    /** The row number of an event's endpoint. @throws not_found */
    endpointOf: async (reader: EventReader, id: string): Promise<number> => (await found(reader, id)).endpoint,

    /**
     * A large one as the JSON text of the same.
     * @throws not_found, damaged, rate_limited, overloaded
     */
    async event(
      reader: LargeReader,
      id: string,
      signal?: AbortSignal,
    ): Promise<EventDetail | ReadableStream<Uint8Array>> {
      const { event, reservation } = await open(reader, id, signal);
      return withReservation(reservation, async () => {
        const { before, after } = await fields(event);
        if (!reservation) return { ...before, ...toPayload(event.body), ...after };
        return toReservedStream(detailChunks({ before, after }, event.body, createSlices()), reservation);
      });
    },

    /** The exact bytes. @throws not_found, damaged, rate_limited, overloaded */
    async body(
      reader: LargeReader,
      id: string,
      signal?: AbortSignal,
    ): Promise<{ bytes: number; body: Uint8Array | ReadableStream<Uint8Array> }> {
      const { event, reservation } = await open(reader, id, signal);
      const { body } = event;
      return { bytes: body.length, body: reservation ? toReservedStream(bodyChunks(body), reservation) : body };
    },

    /** An event with `characters` of its body from `offset` on. @throws not_found, damaged, rate_limited, overloaded */
    async excerpt(reader: LargeReader, id: string, window: Window): Promise<EventExcerpt> {
      const { event, reservation } = await open(reader, id);
      try {
        const { before, after } = await fields(event);
        return { ...before, ...after, ...(await excerptOf(event.body, window, createSlices())) };
      } finally {
        reservation?.release();
      }
    },
  };
}

/** Releases the reservation when `make` fails; after that its stream does. */
async function withReservation<T>(reservation: MemoryReservation | undefined, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    reservation?.release();
    throw error;
  }
}
