/*
 * Reading what was captured: pages, details, exact bytes. An event past its team's window is gone from every read at that
 * moment, whether or not the sweeper has been there.
 */
import type { Clock } from '../../core/clock.ts';
import { decodeCursor, encodeCursor, type Position } from '../../core/cursor.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { type HeaderPair, joinHeaders } from '../../core/headers.ts';
import { parseEventId } from '../../core/ids.ts';
import { defaultPageSize } from '../../core/limits.ts';
import { queryPairs } from '../../core/query.ts';
import { unpackContent } from '../../core/stored-content.ts';
import type { EventDetail, EventListQuery, EventPage, Signature } from './model.ts';
import type { DetailRow, EventsStore, SummaryRow } from './store.ts';
import { queryText, signatureValid, toAttempt, toPayload, toSummary } from './wire.ts';

export type Reader = { teamId: string; plan: 'free' | 'pro' };

/** One stored delivery in full, bytes as they came (after the header rules). */
export type StoredEvent = {
  row: DetailRow;
  endpointId: string;
  token: string;
  headers: HeaderPair[];
  body: Uint8Array;
};

export type Judgeable = Pick<DetailRow, 'method' | 'path' | 'query' | 'platform' | 'receivedAt' | 'verdict'> & {
  headers: readonly HeaderPair[];
  body: Uint8Array;
};

/** Signature verdicts, computed when an event is read. */
export type Verdicts = {
  /** Whether any verdict of this endpoint's events can be other than unchecked. */
  canJudge: (endpoint: number) => Promise<boolean>;
  judge: (endpoint: { seq: number; token: string }, events: readonly Judgeable[]) => Promise<(Signature | null)[]>;
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

type Page = { rows: SummaryRow[]; signatures: (Signature | null)[]; next: Position | undefined };

export type EventsService = ReturnType<typeof createEventsService>;

export function createEventsService(options: {
  store: EventsStore;
  clock: Clock;
  /** The endpoint of this reader. @throws not_found */
  endpoint: (reader: Reader, id: string) => Promise<{ seq: number; token: string }>;
  verdicts: Verdicts;
  search: Search;
  /** How long a plan keeps events, 0 = for ever. */
  retentionMs: { free: number; pro: number };
}) {
  const { store, clock, endpoint: findEndpoint, verdicts, search, retentionMs } = options;

  /** The oldest time of receipt that this reader may still see. */
  const since = (reader: Reader): number => {
    const window = retentionMs[reader.plan];
    return window === 0 ? Number.MIN_SAFE_INTEGER : clock.now() - window;
  };

  const judgeable = (row: DetailRow): Judgeable => ({ ...row, ...unpackContent(row.encoding, row.content) });

  /** At most `limit` of what comes after a position, and where the next page begins. */
  const page = async (
    endpoint: { seq: number; token: string },
    reader: Reader,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> => {
    const canJudge = await verdicts.canJudge(endpoint.seq);
    // One more than asked for tells whether there is a next page.
    const found: (SummaryRow | DetailRow)[] = canJudge
      ? await store.pageWithContent(endpoint.seq, since(reader), after, limit + 1)
      : await store.page(endpoint.seq, since(reader), after, limit + 1);
    const rows = found.slice(0, limit);
    return {
      rows,
      signatures: canJudge ? await verdicts.judge(endpoint, (rows as DetailRow[]).map(judgeable)) : [],
      next: found.length > limit ? rows.at(-1) : undefined,
    };
  };

  /** The same of only those that contain `q`. */
  const pageOf = async (
    endpoint: { seq: number; token: string },
    reader: Reader,
    q: string,
    after: Position | undefined,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Page> => {
    const asked = { endpoint: endpoint.seq, q, since: since(reader), after, limit: limit + 1, signal };
    const positions = await search.find(asked);
    const shown = positions.slice(0, limit);
    const canJudge = await verdicts.canJudge(endpoint.seq);
    const seqs = shown.map(one => one.seq);
    const found = new Map<number, SummaryRow | DetailRow>(
      (canJudge ? await store.someWithContent(seqs) : await store.some(seqs)).map(row => [row.seq, row]),
    );
    const rows = seqs.flatMap(seq => found.get(seq) ?? []);
    return {
      rows,
      signatures: canJudge ? await verdicts.judge(endpoint, (rows as DetailRow[]).map(judgeable)) : [],
      next: positions.length > limit ? shown.at(-1) : undefined,
    };
  };

  /** @throws not_found */
  const stored = async (reader: Reader, id: string): Promise<StoredEvent> => {
    const parsed = parseEventId(id);
    const row = parsed && (await store.find(reader.teamId, parsed.seq, parsed.nonce, since(reader)));
    if (!row) throw notFound('event');
    const { endpointId, token, ...rest } = row;
    return { row: rest, endpointId, token, ...unpackContent(row.encoding, row.content) };
  };

  return {
    since,
    stored,

    /**
     * @param signal aborted: the client went away, and a search may stop
     * @throws invalid for the cursor and the term, not_found for the endpoint
     */
    async list(reader: Reader, query: EventListQuery, signal?: AbortSignal): Promise<EventPage> {
      const limit = query.limit === undefined ? defaultPageSize : Number(query.limit);
      const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
      if (query.cursor !== undefined && !after) throw invalid('invalid query: cursor: not one that was given out');
      const { q = '' } = query;
      search.checkTerm(q);
      const endpoint = await findEndpoint(reader, query.endpointId);
      const { rows, signatures, next } =
        q === '' ? await page(endpoint, reader, after, limit) : await pageOf(endpoint, reader, q, after, limit, signal);
      return {
        events: rows.map((row, i) => toSummary(row, signatures[i] ?? null)),
        nextCursor: next ? encodeCursor(next) : null,
      };
    },

    /** @throws not_found */
    async event(reader: Reader, id: string): Promise<EventDetail> {
      const { row, endpointId, token, headers, body } = await stored(reader, id);
      const [[signature = null], attempts] = await Promise.all([
        verdicts.judge({ seq: row.endpoint, token }, [{ ...row, headers, body }]),
        store.attempts(row.seq),
      ]);
      const { payloadPreview: _, ...summary } = toSummary(row, signature);
      const query = queryText(row.query);
      return {
        ...summary,
        signatureValid: signatureValid(signature),
        endpointId,
        headers: joinHeaders(headers),
        rawHeaders: headers.map(([name, value]) => [name, value]),
        query,
        params: queryPairs(query),
        ...toPayload(body),
        sha256: row.sha256.toString('hex'),
        sourceIp: row.sourceIp,
        signature,
        replays: attempts.map(toAttempt),
      };
    },
  };
}
