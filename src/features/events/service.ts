/*
 * Reading what was captured: pages, details, exact bytes. An event past its team's window is gone from every read at that
 * moment, whether or not the sweeper has been there.
 */

import type { Clock } from '../../core/clock.ts';
import { createQueues } from '../../core/concurrency/queues.ts';
import { decodeCursor, encodeCursor, type Position } from '../../core/cursor.ts';
import { invalid } from '../../core/errors.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { defaultPageSize } from '../../core/limits.ts';
import type { MemorySlots } from '../../core/memory-slots.ts';
import type { TeamAccess } from '../../core/principal.ts';
import { oldestVisible, type RetentionMs } from '../../core/retention.ts';
import { unpackIfIntact } from '../../core/stored-content.ts';
import type { Turn } from '../../core/stream-pace.ts';
import { toSummary } from './event-json.ts';
import type { EventListQuery, EventPage, EventSummary, Signature } from './model.ts';
import { createSingleEvents } from './single.ts';
import type { DetailRow, EventsStore, Rows, SummaryRow } from './store.ts';

/** One stored delivery in full, bytes as they came (after the header rules). */
export type StoredEvent = {
  row: DetailRow;
  endpointId: string;
  token: string;
  headers: HeaderPair[];
  body: Uint8Array;
};

export type VerifiableEvent = Pick<DetailRow, 'method' | 'path' | 'query' | 'platform' | 'receivedAt' | 'verdict'> & {
  headers: readonly HeaderPair[];
  body: Uint8Array;
};

/** Signature verdicts, computed when an event is read. */
export type Verdicts = {
  /** Whether any verdict of this endpoint's events can be other than unchecked. */
  canJudge: (endpoint: number) => Promise<boolean>;
  /** The verdict that was reached at capture and kept, if any. */
  kept: (verdict: string | null) => Signature | null;
  judge: (
    endpoint: { seq: number; token: string },
    events: readonly VerifiableEvent[],
  ) => Promise<(Signature | null)[]>;
};

/** Search as the list needs it. */
export type Search = {
  /** @throws invalid when the term is too long */
  checkTerm: (q: string) => void;
  /** The next positions of the list whose events contain `q`, newest first. */
  find: (search: {
    endpoint: number;
    q: string;
    since: number;
    after: Position | undefined;
    limit: number;
    signal?: AbortSignal | undefined;
  }) => Promise<Position[]>;
};

/** One page, and the position after which the next begins. */
type Page = { rows: SummaryRow[]; signatures: (Signature | null)[]; next: Position | undefined };

/** Other endpoints' rows count, too: a few milliseconds of the reader's time. */
const rowsAtOnce = 5000;
/** Of bodies that are held together to judge their signatures; one that is larger is held alone. */
const judgedBytes = 4 << 20;
/** Of one team; each may read through a whole history, and holds the largest of its bodies. */
const searchesAtOnce = 4;

/** Row numbers in groups whose bodies may be held together. */
function groupsOf(rows: readonly SummaryRow[]): number[][] {
  const groups: number[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { seq, size } of rows) {
    bytes += size;
    if (bytes > judgedBytes) {
      groups.push([]);
      bytes = size;
    }
    groups.at(-1)?.push(seq);
  }
  return groups;
}

export type EventsService = ReturnType<typeof createEventsService>;

export function createEventsService(options: {
  store: EventsStore;
  clock: Clock;
  /** @throws not_found for an endpoint of another team */
  endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number; token: string }>;
  verdicts: Verdicts;
  search: Search;
  retentionMs: RetentionMs;
  /** The turns of one long answer. */
  turns: () => Turn;
  /** For large events. */
  slots: MemorySlots;
}) {
  const { store, clock, endpoint: findEndpoint, verdicts, search, retentionMs, turns, slots } = options;
  const inTurn = createQueues(searchesAtOnce);

  /** The oldest time of receipt that the principal may still see. */
  const since = (principal: TeamAccess): number => oldestVisible(retentionMs, principal.plan, clock.now());

  type Target = { seq: number; token: string };

  /** The signature of each. Bodies come a few megabytes at a time, however many large ones a page has. */
  const signaturesOf = async (
    endpoint: Target,
    oldest: number,
    rows: readonly SummaryRow[],
  ): Promise<(Signature | null)[]> => {
    const signatures = new Map<number, Signature | null>();
    const unjudged = (await verdicts.canJudge(endpoint.seq)) ? rows.filter(({ verdict }) => verdict === null) : [];
    for (const seqs of groupsOf(unjudged)) {
      const full = await store.rowsWithContent(endpoint.seq, oldest, { seqs }, seqs.length);
      // Nothing can be said of one that is damaged; its page is shown all the same.
      const judgeable = full.flatMap(row => {
        const content = unpackIfIntact(row);
        return content ? { ...row, ...content } : [];
      });
      const judged = await verdicts.judge(endpoint, judgeable);
      judgeable.forEach(({ seq }, i) => {
        signatures.set(seq, judged[i] ?? null);
      });
    }
    return rows.map(({ seq, verdict }) => signatures.get(seq) ?? verdicts.kept(verdict));
  };

  /** At most `limit` of what comes after a position. */
  const page = async (endpoint: Target, oldest: number, after: Position | undefined, limit: number): Promise<Page> => {
    // One more than asked for tells whether there is a next page.
    const rows = await store.page(endpoint.seq, oldest, after, limit + 1);
    const shown = rows.slice(0, limit);
    const signatures = await signaturesOf(endpoint, oldest, shown);
    return { rows: shown, signatures, next: rows.length > limit ? shown.at(-1) : undefined };
  };

  /** The same of those only that contain `q`. */
  const matchingPage = async (
    endpoint: Target,
    oldest: number,
    after: Position | undefined,
    limit: number,
    { q, signal, teamId }: { q: string; signal: AbortSignal | undefined; teamId: string },
  ): Promise<Page> => {
    const found = await inTurn(teamId, async () =>
      // Nobody waits for it any more.
      signal?.aborted ? [] : search.find({ endpoint: endpoint.seq, q, since: oldest, after, limit: limit + 1, signal }),
    );
    const shown = found.slice(0, limit);
    const order = new Map(shown.map(({ seq }, i) => [seq, i]));
    const rows = (await store.rows(endpoint.seq, oldest, { seqs: [...order.keys()] }, limit)).sort(
      (a, b) => (order.get(a.seq) ?? 0) - (order.get(b.seq) ?? 0),
    );
    return {
      rows,
      signatures: await signaturesOf(endpoint, oldest, rows),
      next: found.length > limit ? shown.at(-1) : undefined,
    };
  };

  const summaries = async (
    endpoint: Target,
    principal: TeamAccess,
    which: Rows,
    limit: number,
  ): Promise<{ rows: SummaryRow[]; events: EventSummary[] }> => {
    const oldest = since(principal);
    const rows = await store.rows(endpoint.seq, oldest, which, limit);
    const signatures = await signaturesOf(endpoint, oldest, rows);
    return { rows, events: rows.map((row, i) => toSummary(row, signatures[i] ?? null)) };
  };

  return {
    ...createSingleEvents({ store, since, verdicts, turns, slots }),
    since,
    newest: store.newest,

    /**
     * What was stored after a row number, oldest first, at most `limit`. Looks through a bounded number of rows at a time.
     * @returns the row number up to which it looked, and whether there are rows after it
     */
    async after(principal: TeamAccess, endpoint: { seq: number; token: string }, position: number, limit: number) {
      const newest = await store.newest();
      const upTo = Math.min(newest, position + rowsAtOnce);
      if (upTo <= position) return { events: [], position, more: false };
      const { rows, events } = await summaries(endpoint, principal, { after: position, upTo }, limit);
      const reached = rows.length === limit ? (rows.at(-1)?.seq ?? upTo) : upTo;
      return { events, position: reached, more: reached < newest };
    },

    /** The events with these row numbers, oldest first. */
    async those(
      principal: TeamAccess,
      endpoint: { seq: number; token: string },
      seqs: number[],
    ): Promise<EventSummary[]> {
      return (await summaries(endpoint, principal, { seqs }, seqs.length)).events;
    },

    /**
     * @param signal aborted: the client went away, and a search may stop
     * @throws invalid for the cursor and the term, not_found for the endpoint
     */
    async list(principal: TeamAccess, query: EventListQuery, signal?: AbortSignal): Promise<EventPage> {
      const limit = query.limit === undefined ? defaultPageSize : Number(query.limit);
      const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
      if (query.cursor !== undefined && !after) throw invalid('invalid query: cursor: not one that was given out');
      const { q = '' } = query;
      search.checkTerm(q);
      const endpoint = await findEndpoint(principal, query.endpointId);
      const { rows, signatures, next } =
        q === ''
          ? await page(endpoint, since(principal), after, limit)
          : await matchingPage(endpoint, since(principal), after, limit, { q, signal, teamId: principal.teamId });
      return {
        events: rows.map((row, i) => toSummary(row, signatures[i] ?? null)),
        nextCursor: next ? encodeCursor(next) : null,
      };
    },
  };
}
