/*
 * Finds an endpoint's events that contain a text, newest first. The index, and the signatures of events that are not in it
 * yet, only select candidates; the body decides. So results are exact as soon as an event is stored, whatever the state of
 * the index. Memory does not grow with the history: positions and bodies are read in bounded pages.
 */
import { createTimeSlices, type YieldIfDue } from '../../core/concurrency/time-slices.ts';
import type { Position } from '../../core/cursor.ts';
import { invalid } from '../../core/errors.ts';
import { maxSearchCharacters } from '../../core/limits.ts';
import { type SignatureQuery, signatureQuery } from '../../core/search-signature.ts';
import { createMatcher, foldCase, type Matcher } from '../../core/search-text.ts';
import { firstCharacters } from '../../core/text.ts';
import type { RecentEvents } from './recent-events.ts';
import type { SearchableEvent, SearchStore } from './store.ts';
import { endpointMark, oversizedMark, trigramsOf } from './trigrams.ts';

export type Search = {
  endpoint: number;
  /** At least one character. */
  q: string;
  /** The oldest time of receipt to show. */
  since: number;
  /** Only events after this position of the list. */
  after: Position | undefined;
  limit: number;
  /** Aborts the search when the client is gone. */
  signal?: AbortSignal | undefined;
};

/** Up to this many candidates are collected and sorted; with more, the list is scanned instead. */
const maxCandidates = 512;
/** Up to this many unknown events, of any endpoint, are read to find candidates. */
const maxUnknown = 10_000;
/** Further trigrams cost more than they exclude. */
const maxTrigrams = 12;
/** Page sizes of a scan of the list: the first, and the largest. */
const firstScanPage = 128;
const maxScanPage = 8192;
const bodyBatch = 64;
/** The newest events are read without the index only if their bodies have at most this many bytes. */
const maxNearbyBytes = 8 << 20;
/** A term that one in this many events contains is found sooner in the list than with the index. */
const commonOneIn = 8;
/** Larger bodies are read one at a time. */
const maxBatchedBodyBytes = 64 << 10;

const byListOrder = (a: Position, b: Position): number => b.receivedAt - a.receivedAt || b.seq - a.seq;
const isAfter = (one: Position, position: Position | undefined): boolean =>
  position === undefined || byListOrder(position, one) < 0;
const quoted = (trigram: string): string => `"${trigram.replaceAll('"', '""')}"`;

/** The FTS5 expression for a term: this endpoint's events that have all of its trigrams, or are too large for the index. */
function matchExpression(endpoint: number, term: string): string | undefined {
  const all = trigramsOf(term);
  if (all.length === 0) return;
  const step = Math.max(1, all.length / maxTrigrams);
  const some = Array.from({ length: Math.min(all.length, maxTrigrams) }, (_, i) => all[Math.floor(i * step)] ?? '');
  return `${quoted(endpointMark(endpoint))} AND ((${some.map(quoted).join(' AND ')}) OR ${quoted(oversizedMark)})`;
}

type Opening = Awaited<ReturnType<SearchStore['opening']>>;
type Term = { matcher: Matcher; match: string | undefined; signature: SignatureQuery };

async function matches(event: SearchableEvent, matcher: Matcher, yieldIfDue: YieldIfDue): Promise<boolean> {
  const steps = matcher(event.eventType, event.body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await yieldIfDue();
  }
}

export function createFinder(options: {
  store: SearchStore;
  recent: RecentEvents;
  monotonic: () => number;
  /** false: there is no index, and every search scans the list. */
  indexed: boolean;
  /** This many of the newest events may be read before the index is used. */
  nearby: number;
}) {
  const { store, recent, monotonic, indexed, nearby } = options;

  /** The matching candidates, in their order, at most `limit`. */
  const verify = async (
    candidates: readonly Position[],
    matcher: Matcher,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Position[]> => {
    const yieldIfDue = createTimeSlices({ monotonic });
    const found: Position[] = [];
    for (let at = 0; at < candidates.length; at += bodyBatch) {
      const group = candidates.slice(at, at + bodyBatch);
      const { events, larger } = await store.searchedWithin(
        group.map(one => one.seq),
        maxBatchedBodyBytes,
      );
      for (const one of group) {
        // Large bodies are read one at a time, so that memory stays bounded.
        const event = larger.has(one.seq) ? (await store.searched([one.seq])).get(one.seq) : events.get(one.seq);
        if (event && (await matches(event, matcher, yieldIfDue))) found.push(one);
        if (found.length === limit || signal?.aborted) return found;
        await yieldIfDue();
      }
    }
    return found;
  };

  /** Reads the newest events while that is likely to be faster than the index. `readCount`: how many were read. */
  const searchNewest = async (
    near: readonly Position[],
    matcher: Matcher,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<{ found: Position[]; readCount: number }> => {
    const newest = near.slice(0, limit);
    const found = await verify(newest, matcher, limit, signal);
    if (found.length === limit || near.length <= limit || signal?.aborted) return { found, readCount: newest.length };
    const isCommon = found.length * commonOneIn >= newest.length;
    const isAll = near.length <= nearby;
    if (!isCommon && !isAll) return { found, readCount: newest.length };
    const next = near.slice(limit, isAll ? undefined : limit + (limit - found.length) * commonOneIn);
    if ((await store.bodyBytes(next.map(one => one.seq))) > maxNearbyBytes) return { found, readCount: newest.length };
    found.push(...(await verify(next, matcher, limit - found.length, signal)));
    return { found, readCount: newest.length + next.length };
  };

  /** All candidates, in list order; undefined when there are too many. */
  const collect = async (
    { endpoint, since, after }: Search,
    { signature }: Term,
    { progress: { watermark, last }, hits }: Opening,
  ): Promise<Position[] | undefined> => {
    if (hits.length > maxCandidates) return;
    const { found, unknown } = recent.find(endpoint, signature, { from: watermark + 1, to: last });
    if (found.length > maxCandidates) return;
    if (unknown.reduce((sum, { from, to }) => sum + to - from + 1, 0) > maxUnknown) return;
    // Entries above the watermark may be left over from a crash; those events are found in memory or read.
    const seqs = hits.filter(seq => seq <= watermark);
    for (const { from, to } of unknown) for (let seq = from; seq <= to; seq++) seqs.push(seq);
    const candidates = seqs.length > 0 ? await store.positions(endpoint, since, seqs) : [];
    for (const one of found) if (one.receivedAt >= since) candidates.push(one);
    if (candidates.length > 2 * maxCandidates) return;
    return candidates.filter(one => isAfter(one, after)).sort(byListOrder);
  };

  /** The events of one page of the list that can match. @param known the highest row numbers that the index returned */
  const narrow = async (
    page: readonly Position[],
    watermark: number,
    { match, signature }: Term,
    known: readonly number[],
  ): Promise<Position[]> => {
    if (match === undefined) return [...page];
    let low = Number.POSITIVE_INFINITY;
    let high = 0;
    for (const { seq } of page) {
      if (seq > watermark) continue;
      low = Math.min(low, seq);
      high = Math.max(high, seq);
    }
    if (low > high) return page.filter(({ seq }) => recent.mayMatch(seq, signature));
    const isCovered = (known.at(-1) ?? low + 1) <= low;
    // After a clock jump a page can cover all row numbers, and the index would return far more of them than the page has.
    const bound = page.length * 2 + firstScanPage;
    const rows = isCovered ? known : await store.hits(match, low, high, bound);
    const lowest = !isCovered && rows.length === bound ? (rows.at(-1) ?? 0) : 0;
    const hits = new Set(rows);
    return page.filter(({ seq }) =>
      seq > watermark ? recent.mayMatch(seq, signature) : seq < lowest || hits.has(seq),
    );
  };

  /** Scans the list in growing pages until enough is found or the list ends. */
  const scan = async (search: Search, term: Term, opening: Opening): Promise<Position[]> => {
    const { endpoint, since, limit, signal } = search;
    const { watermark } = opening.progress;
    const found: Position[] = [];
    let { page } = opening;
    for (let size = firstScanPage; ; ) {
      const candidates = await narrow(page, watermark, term, opening.hits);
      found.push(...(await verify(candidates, term.matcher, limit - found.length, signal)));
      if (page.length < size || found.length === limit || signal?.aborted) return found;
      const after = page.at(-1);
      size = Math.min(size * 2, maxScanPage);
      page = await store.nextPositions(endpoint, since, after, size);
    }
  };

  return {
    /**
     * The next events of the list that contain `q`, newest first, at most `limit`.
     * @throws invalid when `q` is too long
     */
    async find(search: Search): Promise<Position[]> {
      checkTerm(search.q);
      const folded = foldCase(search.q);
      const term: Term = {
        matcher: createMatcher(search.q),
        match: indexed ? matchExpression(search.endpoint, folded) : undefined,
        signature: signatureQuery(new TextEncoder().encode(folded)),
      };
      const { endpoint, since, limit, signal } = search;
      const near = await store.nextPositions(endpoint, since, search.after, nearby + limit);
      const { found, readCount } = await searchNewest(near, term.matcher, limit, signal);
      const isAll = readCount === near.length && near.length < nearby + limit;
      if (found.length === limit || isAll || signal?.aborted) return found;
      const rest = { ...search, after: near[readCount - 1], limit: limit - found.length };
      if (term.match === undefined) {
        const page = await store.nextPositions(endpoint, since, rest.after, firstScanPage);
        return [...found, ...(await scan(rest, term, { progress: { watermark: 0, last: 0 }, hits: [], page }))];
      }
      const opening = await store.opening(term.match, maxCandidates + 1, rest, firstScanPage);
      // A rare term has few candidates in the whole history.
      const candidates = await collect(rest, term, opening);
      const older = candidates
        ? await verify(candidates, term.matcher, rest.limit, signal)
        : await scan(rest, term, opening);
      return [...found, ...older];
    },
  };
}

/** @throws invalid when `q` is longer than a search may be */
export function checkTerm(q: string): void {
  if (firstCharacters(q, maxSearchCharacters) !== q)
    throw invalid(`invalid query: q: at most ${maxSearchCharacters} characters`);
}
