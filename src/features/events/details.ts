/* Reads one event: its detail, its exact bytes, or a part of its body. Large events are read in slices, and few at a time. */

import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { withoutPath } from '../../core/destination.ts';
import { AppError, notFound, unavailable } from '../../core/errors.ts';
import { joinHeaders } from '../../core/headers.ts';
import { parseEventId } from '../../core/ids.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import type { MemberAccess, Principal, TeamAccess } from '../../core/principal.ts';
import { queryPairs } from '../../core/request-target.ts';
import { oldestVisibleSince, type PlanCutoff } from '../../core/retention.ts';
import { sha256InSlices } from '../../core/sha256.ts';
import { DamagedError } from '../../core/stored-content.ts';
import type { Attempts } from './attempts.ts';
import { bodyChunks, type DetailFields, detailChunks, toReservedStream } from './detail-stream.ts';
import { queryText, toPayload, toReplayAttempt, toSummary } from './event-json.ts';
import { type EventExcerpt, type ExcerptRange, excerptOf } from './excerpt.ts';
import type { MemoryReservation, MemoryReservations } from './memory-reservations.ts';
import type { EventDetail } from './model.ts';
import type { StoredEvent, Verdicts } from './reading.ts';
import type { EventsStore, FoundRow } from './store.ts';

/** Who reads an event with its replays. */
type Reader = MemberAccess & Pick<Principal, 'isReadOnly'>;

/** Row numbers, and the endpoint's id. */
export type EventPlace = { seq: number; endpoint: number; endpointId: string };

/** `since`: the endpoint's events that were received before are not visible, unless they are pinned. */
type VisibleRow = FoundRow & { since: number };

const isLarge = ({ size }: { size: number }): boolean => size > largeBodyBytes;

export function createEventDetails({
  store,
  planCutoff,
  verdicts,
  attempts,
  createSlices,
  memoryReservations,
  isUnfiled,
}: {
  store: Pick<EventsStore, 'find' | 'content' | 'attempts'>;
  /** From when on the plan and the endpoint show events. */
  planCutoff: (principal: TeamAccess) => PlanCutoff;
  verdicts: Pick<Verdicts, 'verify'>;
  attempts: Pick<Attempts, 'placesOf'>;
  createSlices: () => YieldIfDue;
  memoryReservations: MemoryReservations;
  isUnfiled: (seq: number) => boolean;
}) {
  /** @throws not_found; unavailable for one that was acknowledged and cannot be read yet */
  const findRow = async (principal: TeamAccess, id: string): Promise<VisibleRow> => {
    const parsed = parseEventId(id);
    const cutoff = planCutoff(principal);
    const row = parsed && (await store.find(principal.teamId, parsed, cutoff));
    if (row) return { ...row, since: oldestVisibleSince(row, cutoff) };
    if (parsed && isUnfiled(parsed.seq)) throw unavailable('the event is stored but cannot be read yet, try again', 5);
    throw notFound('event');
  };

  /** Adds the content, which is checked: a damaged event is neither shown nor replayed. @throws not_found, damaged */
  const read = async (id: string, found: VisibleRow): Promise<StoredEvent> => {
    try {
      const content = await store.content(found, createSlices());
      if (!content) throw notFound('event');
      const { headers, headersJson: _json, body, ...text } = content;
      const { endpointId, token, since, contentBytes: _bytes, read: _read, ...row } = found;
      return { row: { ...row, ...text }, endpointId, token, since, headers, body };
    } catch (cause) {
      if (!(cause instanceof DamagedError)) throw cause;
      throw new AppError('damaged', `event ${id} is damaged on disk: ${cause.message}`, { cause });
    }
  };

  /** A large event comes with a reservation, which the caller must release. @throws not_found, damaged, rate_limited, overloaded */
  const open = async (
    principal: MemberAccess,
    id: string,
    signal?: AbortSignal,
  ): Promise<{ event: StoredEvent; reservation: MemoryReservation | undefined }> => {
    const row = await findRow(principal, id);
    if (!isLarge(row)) return { event: await read(id, row), reservation: undefined };
    const reservation = await memoryReservations.reserve(principal.accountId, row.size + row.contentBytes, signal);
    try {
      return { event: await read(id, row), reservation };
    } catch (error) {
      reservation.release();
      throw error;
    }
  };

  /** Runs `use` with the whole event in memory. @throws not_found, damaged, rate_limited, overloaded */
  const withStored = async <T>(
    principal: MemberAccess,
    id: string,
    use: (event: StoredEvent) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    const { event, reservation } = await open(principal, id, signal);
    try {
      return await use(event);
    } finally {
      reservation?.release();
    }
  };

  const fields = async (
    { isReadOnly }: Reader,
    { row, endpointId, token, since, headers, body }: StoredEvent,
  ): Promise<DetailFields> => {
    const [[signature = null], replays, sha256, places] = await Promise.all([
      verdicts.verify({ seq: row.endpoint, token }, [{ ...row, headers, body }]),
      store.attempts(row.seq),
      sha256InSlices(body, createSlices()),
      attempts.placesOf({ endpoint: row.endpoint, since }, [row]),
    ]);
    const summarised = toSummary(row, { signature, delivery: places.get(row.seq) });
    const {
      payloadPreview: _preview,
      highlights: _highlights,
      action: _action,
      verdict: _verdict,
      ...summary
    } = summarised;
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
        sha256: Buffer.from(sha256).toString('hex'),
        sourceIp: row.sourceIp,
        signature,
        replays: replays
          .map(toReplayAttempt)
          .map(one => (isReadOnly ? { ...one, destination: withoutPath(one.destination) } : one)),
      },
    };
  };

  return {
    /** The whole event in memory: the caller limits how many it holds. @throws not_found, damaged */
    getStored: async (principal: TeamAccess, id: string): Promise<StoredEvent> =>
      read(id, await findRow(principal, id)),

    withStored,

    /** The row numbers of an event and its endpoint. @throws not_found, unavailable */
    async locate(principal: TeamAccess, id: string): Promise<EventPlace> {
      const { seq, endpoint, endpointId } = await findRow(principal, id);
      return { seq, endpoint, endpointId };
    },

    /**
     * A large event is returned as a stream of the JSON text.
     * @throws not_found, damaged, rate_limited, overloaded
     */
    async event(
      principal: Reader,
      id: string,
      signal?: AbortSignal,
    ): Promise<EventDetail | ReadableStream<Uint8Array>> {
      const { event, reservation } = await open(principal, id, signal);
      return withReservation(reservation, async () => {
        const { before, after } = await fields(principal, event);
        if (!reservation) return { ...before, ...toPayload(event.body), ...after };
        return toReservedStream(detailChunks({ before, after }, event.body, createSlices()), reservation);
      });
    },

    /** The exact bytes. @throws not_found, damaged, rate_limited, overloaded */
    async body(
      principal: MemberAccess,
      id: string,
      signal?: AbortSignal,
    ): Promise<{ bytes: number; body: Uint8Array | ReadableStream<Uint8Array> }> {
      const { event, reservation } = await open(principal, id, signal);
      const { body } = event;
      return { bytes: body.length, body: reservation ? toReservedStream(bodyChunks(body), reservation) : body };
    },

    /** An event with `characters` of its body from `offset` on. @throws not_found, damaged, rate_limited, overloaded */
    async excerpt(principal: Reader, id: string, window: ExcerptRange): Promise<EventExcerpt> {
      return withStored(principal, id, async event => {
        const { before, after } = await fields(principal, event);
        return { ...before, ...after, ...(await excerptOf(event.body, window, createSlices())) };
      });
    },
  };
}

/** Releases the reservation when `make` fails: then no stream will. */
async function withReservation<T>(reservation: MemoryReservation | undefined, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    reservation?.release();
    throw error;
  }
}
