/* Reads one event: its detail, its exact bytes, or a part of its body. Large events are read in slices, and few at a time. */

import type { MemberAccess, Principal, TeamAccess } from '../../core/access/principal.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import type { ContentRead, ContentReads } from '../../core/concurrency/content-reads.ts';
import type { CreateSlices } from '../../core/concurrency/time-slices.ts';
import { sha256InSlices } from '../../core/encoding/sha256.ts';
import { AppError, notFound, unavailable } from '../../core/errors.ts';
import { oldestVisibleSince, type PlanCutoff } from '../../core/events/retention.ts';
import { joinHeaders } from '../../core/headers.ts';
import { parseEventId, parseReplayId } from '../../core/ids/ids.ts';
import { toReservedStream } from '../../core/json/output.ts';
import { largeBodyBytes } from '../../core/limits.ts';
import { withoutPath } from '../../core/network/destination.ts';
import { queryPairs } from '../../core/network/request-target.ts';
import { bodyOfRequest } from '../../core/replay/kept-request.ts';
import type { Attempts } from './attempts.ts';
import { bodyChunks, type DetailFields, detailChunks } from './detail-stream.ts';
import { queryText, toPayload, toReplayAttempt, toSummary } from './event-json.ts';
import { type EventExcerpt, type ExcerptRange, excerptOf } from './excerpt.ts';
import type { EventDetail, ReplayAttempt } from './model.ts';
import type { StoredEvent, Verdicts } from './reading.ts';
import type { EventsStore, FoundRow } from './store.ts';
import type { FindWay } from './way.ts';

/** Who reads an event with its replays. */
type EventReader = MemberAccess & Pick<Principal, 'isReadOnly' | 'app'>;

/** The row numbers of an event and its endpoint, and the endpoint's id. */
export type EventPlace = { seq: number; endpoint: number; endpointId: string };

/** `since`: events received before this time are visible only if they are pinned. */
type VisibleRow = FoundRow & { since: number };

const isLarge = ({ size }: { size: number }): boolean => size > largeBodyBytes;

export function createEventDetails(options: {
  store: Pick<EventsStore, 'find' | 'content' | 'attempts' | 'requestOf'>;
  findWay: FindWay;
  /** The oldest time of receipt that the plan and the endpoint show. */
  planCutoff: (principal: TeamAccess) => PlanCutoff;
  verdicts: Pick<Verdicts, 'verify' | 'isFinal' | 'storedVerdict'>;
  attempts: Pick<Attempts, 'placesOf'>;
  createSlices: CreateSlices;
  contentReads: ContentReads;
  isUnfiled: (seq: number) => boolean;
}) {
  const { store, findWay, planCutoff, verdicts, attempts, createSlices, contentReads, isUnfiled } = options;
  /** @throws not_found; unavailable for an event that was acknowledged and cannot be read yet */
  const findRow = async (principal: TeamAccess, id: string): Promise<VisibleRow> => {
    const parsed = parseEventId(id);
    const cutoff = planCutoff(principal);
    const row = parsed && (await store.find(principal.teamId, parsed, cutoff));
    if (row) return { ...row, since: oldestVisibleSince(row, cutoff) };
    if (parsed && isUnfiled(parsed.seq)) throw unavailable('the event is stored but cannot be read yet, try again', 5);
    throw notFound('event');
  };

  /** Adds the content, which is checked: a damaged event is neither shown nor replayed. @throws not_found, damaged */
  const read = async (id: string, found: VisibleRow, signal?: AbortSignal): Promise<StoredEvent> => {
    try {
      const content = await store.content(found, createSlices(signal));
      if (!content) throw notFound('event');
      const { headers, headersJson: _json, body, ...text } = content;
      const { endpointId, token, since, contentBytes: _bytes, read: _read, ...row } = found;
      return { row: { ...row, ...text }, endpointId, token, since, headers, body };
    } catch (cause) {
      if (!(cause instanceof DamagedError)) throw cause;
      throw new AppError('damaged', `event ${id} is damaged on disk: ${cause.message}`, { cause });
    }
  };

  /**
   * Runs `use` with the whole event in memory. For a large one, `use` is a part of its read (`ContentReads.run`), which it gets.
   * @param copies how many changed copies of its body `use` makes
   * @throws not_found, damaged, rate_limited, overloaded; the reason of the signal
   */
  const readStored = async <T>(
    principal: MemberAccess,
    id: string,
    use: (event: StoredEvent, largeRead?: ContentRead) => Promise<T>,
    signal?: AbortSignal,
    copies = 0,
  ): Promise<T> => {
    const row = await findRow(principal, id);
    if (!isLarge(row)) return use(await read(id, row));
    return contentReads.run({ ...principal, signal }, async largeRead => {
      await largeRead.hold(row.size * (1 + copies) + row.contentBytes);
      return use(await read(id, row, signal), largeRead);
    });
  };

  /** A large event comes with its memory, which the caller must release. @throws as `readStored` */
  const open = (principal: MemberAccess, id: string, signal?: AbortSignal, copies?: number) =>
    readStored(principal, id, async (event, largeRead) => ({ event, memory: largeRead?.keep() }), signal, copies);

  /** Runs `use`, which may wait for others, with the whole event in memory. @throws as `readStored` */
  const withStored = async <T>(
    principal: MemberAccess,
    id: string,
    use: (event: StoredEvent) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    const { event, memory } = await open(principal, id, signal);
    try {
      return await use(event);
    } finally {
      memory?.release();
    }
  };

  const fields = async (
    { isReadOnly, app }: EventReader,
    event: StoredEvent,
    signal: AbortSignal | undefined,
  ): Promise<DetailFields> => {
    const { row, endpointId, token, since, headers, body } = event;
    const known = Promise.all([
      verdicts.verify({ seq: row.endpoint, token }, [{ ...row, headers, body }]),
      attempts.placesOf({ endpoint: row.endpoint, since }, [row]),
    ]).then(([[signature = null], places]) => ({ signature, delivery: places.get(row.seq) }));
    const facts = async () => {
      const { signature, delivery } = await known;
      return { verdict: signature?.verdict ?? ('none' as const), attempt: delivery?.attempt ?? 1 };
    };
    const [{ signature, delivery }, replays, sha256, forwards] = await Promise.all([
      known,
      store.attempts(row.seq),
      sha256InSlices(body, createSlices(signal)),
      // Apps may not see forwards.
      app ? [] : findWay(event, { known: facts, yieldIfDue: createSlices(signal) }),
    ]);
    const summarised = toSummary(row, { signature, delivery });
    const {
      payloadPreview: _preview,
      highlights: _highlights,
      matched: _matched,
      action: _action,
      verdict: _verdict,
      ...summary
    } = summarised;
    const query = queryText(row.query);
    const bodyHash = Buffer.from(sha256).toString('hex');
    const isUnsigned = verdicts.storedVerdict(row.verdict) === null;
    const shownReplays: ReplayAttempt[] = [];
    const yieldIfDue = createSlices(signal);
    // Each may have a large edit.
    for (const one of replays) {
      const shown = isReadOnly ? { ...one, destination: withoutPath(one.destination) } : one;
      shownReplays.push(toReplayAttempt(shown, { ...row, headers, bodyHash, isUnsigned }));
      await yieldIfDue();
    }
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
        sha256: bodyHash,
        sourceIp: row.sourceIp,
        signature: signature && { ...signature, checked: verdicts.isFinal(row.verdict) ? 'arrival' : 'read' },
        replays: shownReplays,
        forwards,
      },
    };
  };

  const sentBody = async (
    event: StoredEvent,
    attempt: string | undefined,
    signal?: AbortSignal,
  ): Promise<Uint8Array> => {
    if (attempt === undefined) return event.body;
    const { seq, nonce } = event.row;
    const place = parseReplayId(attempt);
    const request = place && Buffer.compare(place.nonce, nonce) === 0 && (await store.requestOf(seq, place.seq));
    if (!request) throw notFound('replay');
    return bodyOfRequest(request, event.body, createSlices(signal));
  };

  return {
    readStored,
    withStored,

    /** The row numbers of an event and its endpoint. @throws not_found, unavailable */
    async locate(principal: TeamAccess, id: string): Promise<EventPlace> {
      const { seq, endpoint, endpointId } = await findRow(principal, id);
      return { seq, endpoint, endpointId };
    },

    /**
     * A large event is returned as a stream of the JSON text.
     * @throws as `readStored`
     */
    event: (
      principal: EventReader,
      id: string,
      signal?: AbortSignal,
    ): Promise<EventDetail | ReadableStream<Uint8Array>> =>
      readStored(
        principal,
        id,
        async (event, largeRead) => {
          const { before, after } = await fields(principal, event, signal);
          const memory = largeRead?.keep();
          if (!memory) return { ...before, ...toPayload(event.body), ...after };
          return toReservedStream(detailChunks({ before, after }, event.body, createSlices()), memory);
        },
        signal,
      ),

    /**
     * The exact bytes, as received or, with `replayId`, as they were sent again.
     * @throws as `readStored`; not_found for an attempt that the event does not list or whose request is unknown; gone
     */
    async body(
      principal: MemberAccess,
      { id, replayId: attempt }: { id: string; replayId?: string },
      signal?: AbortSignal,
    ): Promise<{ bytes: number; body: Uint8Array | ReadableStream<Uint8Array> }> {
      // The edited body, and the signed one.
      const { event, memory } = await open(principal, id, signal, attempt === undefined ? 0 : 2);
      const body = await sentBody(event, attempt, signal).catch((error: unknown) => {
        memory?.release();
        throw error;
      });
      return { bytes: body.length, body: memory ? toReservedStream(bodyChunks(body), memory) : body };
    },

    /** An event with `characters` of its body from `offset` on. @throws as `readStored` */
    excerpt: (principal: EventReader, id: string, window: ExcerptRange, signal?: AbortSignal): Promise<EventExcerpt> =>
      readStored(
        principal,
        id,
        async event => {
          const { before, after } = await fields(principal, event, signal);
          return { ...before, ...after, ...(await excerptOf(event.body, window, createSlices(signal))) };
        },
        signal,
      ),
  };
}
