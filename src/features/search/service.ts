/*
 * Search: which of an endpoint's events contain a text, newest first. The index and, for what is not in it yet, the recent
 * signatures only narrow down where to look; the body decides. So the answer is exact the moment after capture, whatever the
 * state of the index. Nothing is ever held that grows with the history: positions and bodies come in bounded pieces.
 */
import type { Position } from '../../core/cursor.ts';
import { invalid } from '../../core/errors.ts';
import { maxSearchCharacters } from '../../core/limits.ts';
import { endpointMark, oversizedMark, signatureBitsOf, trigramsOf } from '../../core/search-grams.ts';
import { createMatcher, foldCase, type Matcher } from '../../core/search-text.ts';
import { unpackContent } from '../../core/stored-content.ts';
import { firstCharacters } from '../../core/text.ts';
import { createTurns } from '../../core/turns.ts';
import type { Recent } from './recent.ts';
import type { SearchStore } from './store.ts';

export type Search = {
  endpoint: number;
  /** At least one character. */
  q: string;
  /** The oldest time of receipt to show. */
  since: number;
  /** Only what comes after this position in the list. */
  after: Position | undefined;
  limit: number;
  /** Aborted: nobody waits for the answer any more. */
  signal?: AbortSignal | undefined;
};

/** Up to so many candidates are put in order as a whole; where there are more, the list is walked instead. */
const maxCandidates = 1000;
/** More trigrams than this do not narrow down any further. */
const maxTrigrams = 32;
const walkFrom = 128;
const walkTo = 8192;
const bodyBatch = 64;
const bodyBatchBytes = 4 << 20;

const byListOrder = (a: Position, b: Position): number => b.receivedAt - a.receivedAt || b.seq - a.seq;
const isAfter = (one: Position, position: Position | undefined): boolean =>
  position === undefined || byListOrder(position, one) < 0;
const quoted = (trigram: string): string => `"${trigram.replaceAll('"', '""')}"`;

/** The index's question for a term: this endpoint's events that have all of its trigrams, or are too large to tell. */
export function matchExpression(endpoint: number, term: string): string | undefined {
  const all = trigramsOf(term);
  if (all.length === 0) return;
  const step = Math.max(1, all.length / maxTrigrams);
  const some = Array.from({ length: Math.min(all.length, maxTrigrams) }, (_, i) => all[Math.floor(i * step)] ?? '');
  return `${quoted(endpointMark(endpoint))} AND ((${some.map(quoted).join(' AND ')}) OR ${quoted(oversizedMark)})`;
}

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService(options: {
  store: SearchStore;
  recent: Recent;
  monotonic: () => number;
  /** false: no index is kept, and every search walks the list. */
  indexed: boolean;
}) {
  const { store, recent, monotonic, indexed } = options;

  /** Those of `candidates` that match, in their order, until `limit` are found. */
  const verify = async (
    candidates: readonly Position[],
    matcher: Matcher,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Position[]> => {
    const turn = createTurns(monotonic);
    const found: Position[] = [];
    for (let at = 0; at < candidates.length && found.length < limit && !signal?.aborted; ) {
      const next = candidates.slice(at, at + bodyBatch);
      const sizes = await store.sizes(next.map(one => one.seq));
      let bytes = 0;
      let count = 0;
      for (const { seq } of next) {
        bytes += sizes.get(seq) ?? 0;
        if (count > 0 && bytes > bodyBatchBytes) break;
        count++;
      }
      const group = next.slice(0, count);
      const searched = await store.searched(group.map(one => one.seq));
      for (const one of group) {
        const event = searched.get(one.seq);
        if (event && matcher(event.eventType, unpackContent(event.encoding, event.content).body)) found.push(one);
        if (found.length === limit || signal?.aborted) break;
        await turn();
      }
      at += count;
    }
    return found;
  };

  /** Every candidate at once, in list order; undefined when they are too many. */
  const collect = async (search: Search, match: string, bits: readonly number[]): Promise<Position[] | undefined> => {
    const { endpoint, since, after } = search;
    const { watermark, last } = await store.progress();
    const { found, unknown } = recent.find(endpoint, bits, { from: watermark + 1, to: last });
    if (found.length > maxCandidates) return;
    if (unknown.reduce((sum, { from, to }) => sum + to - from + 1, 0) > maxCandidates) return;
    const offered = await store.offered(match, 0, watermark, maxCandidates + 1);
    if (offered.length > maxCandidates) return;
    const candidates = await store.positions(endpoint, since, offered);
    for (const one of found) if (one.receivedAt >= since) candidates.push(one);
    for (const { from, to } of unknown) candidates.push(...(await store.positionsBetween(endpoint, since, from, to)));
    return candidates.filter(one => isAfter(one, after)).sort(byListOrder);
  };

  /** Of one piece of the list, what can match. */
  const narrow = async (
    piece: readonly Position[],
    watermark: number,
    match: string,
    bits: readonly number[],
  ): Promise<Position[]> => {
    let low = Number.POSITIVE_INFINITY;
    let high = 0;
    for (const { seq } of piece) {
      if (seq > watermark) continue;
      low = Math.min(low, seq);
      high = Math.max(high, seq);
    }
    if (low > high) return piece.filter(({ seq }) => recent.mayMatch(seq, bits));
    // A clock that jumped can spread a piece over all row numbers: then the index would offer more than the piece has.
    const bound = piece.length * 2 + walkFrom;
    const offered = await store.offered(match, low, high, bound);
    const lowest = offered.length === bound ? (offered.at(-1) ?? 0) : 0;
    const hits = new Set(offered);
    return piece.filter(({ seq }) => (seq > watermark ? recent.mayMatch(seq, bits) : seq < lowest || hits.has(seq)));
  };

  const walk = async (
    search: Search,
    matcher: Matcher,
    match: string | undefined,
    bits: readonly number[],
  ): Promise<Position[]> => {
    const { endpoint, since, limit, signal } = search;
    const found: Position[] = [];
    const watermark = match === undefined ? 0 : (await store.progress()).watermark;
    let { after } = search;
    for (let size = walkFrom; found.length < limit && !signal?.aborted; size = Math.min(size * 2, walkTo)) {
      const piece = await store.nextPositions(endpoint, since, after, size);
      const candidates = match === undefined ? piece : await narrow(piece, watermark, match, bits);
      found.push(...(await verify(candidates, matcher, limit - found.length, signal)));
      if (piece.length < size) break;
      after = piece.at(-1);
    }
    return found;
  };

  return {
    /**
     * The next events of the list that contain `q`, newest first, at most `limit`.
     * @throws invalid when `q` is too long
     */
    async find(search: Search): Promise<Position[]> {
      checkTerm(search.q);
      const term = foldCase(search.q);
      const matcher = createMatcher(search.q);
      const match = indexed ? matchExpression(search.endpoint, term) : undefined;
      if (match === undefined) return walk(search, matcher, undefined, []);
      const bits = signatureBitsOf(term);
      const candidates = await collect(search, match, bits);
      return candidates ? verify(candidates, matcher, search.limit, search.signal) : walk(search, matcher, match, bits);
    },
  };
}

/** @throws invalid when `q` is longer than a search may be */
export function checkTerm(q: string): void {
  if (firstCharacters(q, maxSearchCharacters) !== q)
    throw invalid(`invalid query: q: at most ${maxSearchCharacters} characters`);
}
