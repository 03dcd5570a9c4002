/*
 * Reads stored events: pages, details, exact bytes. An event past the retention of its team is not readable from that moment
 * on, whether or not the sweeper has removed it yet.
 */

import type { TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { ContentRead, ContentReads, Reader } from '../../core/concurrency/content-reads.ts';
import type { CreateSlices } from '../../core/concurrency/time-slices.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import { notFound } from '../../core/errors.ts';
import {
  type OwnRetention,
  oldestVisible,
  oldestVisibleIn,
  type PlanCutoff,
  type RetentionMs,
} from '../../core/events/retention.ts';
import type { EventFilter } from '../search/event-filter.ts';
import { createAttempts } from './attempts.ts';
import type { AttemptsStore, Scope } from './attempts-store.ts';
import { createEventDetails, type EventPlace } from './details.ts';
import { createFoldedList } from './folded-list.ts';
import { createEventList } from './list.ts';
import { createLongDeliveries } from './long-deliveries.ts';
import { createMatched } from './matched.ts';
import type { EventSummary } from './model.ts';
import type { ReadableEndpoint, Search, Verdicts } from './reading.ts';
import type { EventsStore, Rows, SummaryRow } from './store.ts';
import { createSummaries } from './summaries.ts';
import type { FindWay } from './way.ts';

/** How many rows one read scans, including rows of other endpoints: a few milliseconds of the reader thread. */
const maxRowsScanned = 5000;
/** Events that a filter decides at once. */
const maxRowsFiltered = 256;

/** A request that reads events; background work has no account. */
export type EventReader = TeamAccess & Partial<Reader>;

const readerOf = ({ accountId, teamId, signal, isPatient = false }: EventReader): Reader | undefined =>
  accountId === undefined ? undefined : { accountId, teamId, signal, isPatient };

export type EventsService = ReturnType<typeof createEventsService>;

export function createEventsService(options: {
  store: EventsStore;
  attemptsStore: AttemptsStore;
  findWay: FindWay;
  clock: Clock;
  /** The endpoint, when it belongs to the principal's team. @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  verdicts: Verdicts;
  search: Search;
  retentionMs: RetentionMs;
  /** Time slices for one long response. */
  createSlices: CreateSlices;
  contentReads: ContentReads;
  /** Whether the event with this row number was acknowledged and is not a row yet, because the database accepts no writes. */
  isUnfiled?: (seq: number) => boolean;
  /** Whether other processes use the database, too. */
  isShared?: boolean;
  onRemoved?: () => void;
}) {
  const { store, attemptsStore, clock, endpoint: findEndpoint, verdicts, search, retentionMs, contentReads } = options;
  const { isUnfiled = () => false, isShared = false, onRemoved = () => {} } = options;
  const longDeliveries = createLongDeliveries(isShared ? 0 : undefined);
  const attempts = createAttempts(attemptsStore, longDeliveries);
  const summarise = createSummaries({ store, verdicts, attempts, contentReads });
  const addMatched = createMatched({ store, clock, createSlices: options.createSlices, contentReads });
  const readFolded = createFoldedList({ store: attemptsStore, attempts, monotonic: clock.monotonic });

  /** Events of the endpoint received before this time are visible only if they are pinned. Epoch ms. */
  const retentionCutoff = ({ plan }: TeamAccess, endpoint: OwnRetention): number =>
    oldestVisibleIn(endpoint, { retentionMs, plan, now: clock.now() });
  const planCutoff = ({ plan }: TeamAccess): PlanCutoff => {
    const now = clock.now();
    return { planCutoff: oldestVisible(retentionMs, plan, now), now };
  };

  const readRows = async (
    endpoint: ReadableEndpoint,
    principal: EventReader,
    which: Rows,
    limit: number,
  ): Promise<{ rows: SummaryRow[]; events: EventSummary[] }> => {
    const cutoff = retentionCutoff(principal, endpoint);
    const rows = await store.rows(endpoint.seq, cutoff, which, limit);
    return { rows, events: await summarise(endpoint, cutoff, rows, readerOf(principal)) };
  };

  /** The events among these that match, oldest first. `scannedTo`: the last scanned row number, if there are rows after it. */
  const readMatching = async (
    endpoint: ReadableEndpoint,
    principal: EventReader,
    { which, limit, filter }: { which: Rows; limit: number; filter: EventFilter | undefined },
  ): Promise<{ events: EventSummary[]; scannedTo: number | undefined }> => {
    if (!filter || filter.isEmpty) {
      const { rows, events } = await readRows(endpoint, principal, which, limit);
      return { events, scannedTo: rows.length === limit ? rows.at(-1)?.seq : undefined };
    }
    const count = Math.max(limit, maxRowsFiltered);
    const seqs = await store.seqs(endpoint.seq, retentionCutoff(principal, endpoint), which, count);
    const matching = await filter.select(seqs);
    const shown = seqs.filter(seq => matching.has(seq));
    const { events } = await readRows(endpoint, principal, { seqs: shown.slice(0, limit) }, limit);
    if (shown.length > limit) return { events, scannedTo: shown[limit - 1] };
    return { events, scannedTo: seqs.length === count ? seqs.at(-1) : undefined };
  };

  return {
    ...createEventDetails({ ...options, isUnfiled, planCutoff, attempts }),
    list: createEventList({ store, search, findEndpoint, summarise, readFolded, addMatched, retentionCutoff }),
    retentionCutoff,

    /** Determines which attempt of its delivery an event is. */
    attempts,

    /** Call this after events were removed. */
    forgetRemoved(): void {
      longDeliveries.forget();
      onRemoved();
    },

    /** What the deliveries feature reads. */
    deliveries: {
      findByKey: attempts.findByKey,
      groupsOf: attempts.groupsOf,
      recent: attemptsStore.recent,
      async summaries(principal: EventReader, endpoint: ReadableEndpoint, seqs: number[]) {
        const { rows, events } = await readRows(endpoint, principal, { seqs }, seqs.length);
        return events.map((event, i) => ({ ...event, seq: rows[i]?.seq ?? 0 }));
      },
      contents: ({ endpoint, since }: Scope, which: readonly { seq: number; size: number }[], read: ContentRead) =>
        store.rowsWithContent(endpoint, since, which, read),
    },

    /** The highest row number of all endpoints; 0 without events. */
    newest: store.newest,

    /** The paths of events of one endpoint, oldest first. */
    async pathsOf(endpoint: number, seqs: readonly number[]): Promise<string[]> {
      const rows = await store.rows(endpoint, Number.MIN_SAFE_INTEGER, { seqs: [...seqs] }, seqs.length);
      return rows.map(({ path }) => latin1(path));
    },

    /**
     * Events that were stored after a row number and match the filter, oldest first, at most `limit`. One call scans a bounded number
     * of rows.
     * @returns also the row number up to which it scanned, and whether there are rows after it
     */
    async listAfter(
      principal: EventReader,
      endpoint: ReadableEndpoint,
      position: number,
      limit: number,
      filter?: EventFilter,
    ): Promise<{ events: EventSummary[]; position: number; more: boolean }> {
      const newest = await store.newest();
      const upTo = Math.min(newest, position + maxRowsScanned);
      if (upTo <= position) return { events: [], position, more: false };
      const which = { after: position, upTo };
      const { events, scannedTo = upTo } = await readMatching(endpoint, principal, { which, limit, filter });
      return { events, position: scannedTo, more: scannedTo < newest };
    },

    /** @throws not_found */
    async summary(principal: EventReader, { seq, endpointId }: EventPlace): Promise<EventSummary> {
      const { events } = await readRows(await findEndpoint(principal, endpointId), principal, { seqs: [seq] }, 1);
      if (!events[0]) throw notFound('event');
      return events[0];
    },

    /** The events with these row numbers that match the filter, oldest first. */
    async listBySeq(
      principal: EventReader,
      endpoint: ReadableEndpoint,
      seqs: number[],
      filter?: EventFilter,
    ): Promise<EventSummary[]> {
      return (await readMatching(endpoint, principal, { which: { seqs }, limit: seqs.length, filter })).events;
    },
  };
}
