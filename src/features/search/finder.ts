/*
 * Search: which of an endpoint's events contain a text, newest first. The index and, for what is not in it yet, the recent
 * signatures only narrow down where to look; the body decides. So the answer is exact the moment after capture, whatever the
 * state of the index. Nothing is ever held that grows with the history: positions and bodies come in bounded pieces.
 */

import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import type { Position } from '../../core/cursor.ts';
import { invalid } from '../../core/errors.ts';
import { maxSearchCharacters } from '../../core/limits.ts';
import { type SignatureQuery, signatureQuery } from '../../core/search-signature.ts';
import { createMatcher, foldCase, type Matcher } from '../../core/search-text.ts';
import { firstCharacters } from '../../core/text.ts';
import { readableBody } from './index-entry.ts';
import type { RecentEvents } from './recent-events.ts';
import type { SearchableEvent, SearchStore } from './store.ts';
import { endpointMark, oversizedMark, trigramsOf } from './trigrams.ts';

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
const maxCandidates = 512;
/** Up to so many rows, of any endpoint, are looked through for candidates when nothing is known of them. */
const maxUnknown = 10_000;
/** More trigrams than this cost more than they narrow down. */
const maxTrigrams = 12;
/** Events of the list that are looked at together: first, and at most. */
const walkFrom = 128;
const walkTo = 8192;
const bodyBatch = 64;
/** As long as so many stored bytes hold them all. */
const nearbyBytes = 2 << 20;
/** A term that one in so many has fills the page from the list sooner than the index answers. */
const commonOneIn = 8;
/** Stored bytes up to which a body is read together with others. */
const manyBodiesBytes = 64 << 10;

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

type Opening = Awaited<ReturnType<SearchStore['opening']>>;
type Term = { matcher: Matcher; match: string | undefined; signature: SignatureQuery };

async function matches(
  event: SearchableEvent,
  matcher: Matcher,
  turn: () => Promise<void> | undefined,
): Promise<boolean> {
  const steps = matcher(event.eventType, readableBody(event));
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await turn();
  }
}

export function createFinder(options: {
  store: SearchStore;
  recent: RecentEvents;
  monotonic: () => number;
  /** false: no index is kept, and every search walks the list. */
  indexed: boolean;
  /** So many of the newest events, or all there are of the endpoint, may be looked at before the index is asked. */
  nearby: number;
}) {
  const { store, recent, monotonic, indexed, nearby } = options;

  /** Those of `candidates` that match, in their order, until `limit` are found. */
  const verify = async (
    candidates: readonly Position[],
    matcher: Matcher,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Position[]> => {
    const turn = createTimeSlices(monotonic);
    const found: Position[] = [];
    for (let at = 0; at < candidates.length; at += bodyBatch) {
      const group = candidates.slice(at, at + bodyBatch);
      const { events, larger } = await store.searchedWithin(
        group.map(one => one.seq),
        manyBodiesBytes,
      );
      for (const one of group) {
        // Bodies that are many times larger than most come one at a time, so that memory stays bounded.
        const event = larger.has(one.seq) ? (await store.searched([one.seq])).get(one.seq) : events.get(one.seq);
        if (event && (await matches(event, matcher, turn))) found.push(one);
        if (found.length === limit || signal?.aborted) return found;
        await turn();
      }
    }
    return found;
  };

  /** Looks at the newest events themselves, as long as that promises more than asking the index. `looked`: at how many. */
  const lookNearby = async (
    near: readonly Position[],
    matcher: Matcher,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<{ found: Position[]; looked: number }> => {
    const newest = near.slice(0, limit);
    const found = await verify(newest, matcher, limit, signal);
    if (found.length === limit || near.length <= limit || signal?.aborted) return { found, looked: newest.length };
    const isCommon = found.length * commonOneIn >= newest.length;
    const isAll = near.length <= nearby;
    if (!isCommon && !isAll) return { found, looked: newest.length };
    const next = near.slice(limit, isAll ? undefined : limit + (limit - found.length) * commonOneIn);
    if ((await store.storedBytes(next.map(one => one.seq))) > nearbyBytes) return { found, looked: newest.length };
    found.push(...(await verify(next, matcher, limit - found.length, signal)));
    return { found, looked: newest.length + next.length };
  };

  /** Every candidate there is, in list order; undefined when they are too many. */
  const collect = async (
    { endpoint, since, after }: Search,
    { signature }: Term,
    { progress: { watermark, last }, offered }: Opening,
  ): Promise<Position[] | undefined> => {
    if (offered.length > maxCandidates) return;
    const { found, unknown } = recent.find(endpoint, signature, { from: watermark + 1, to: last });
    if (found.length > maxCandidates) return;
    if (unknown.reduce((sum, { from, to }) => sum + to - from + 1, 0) > maxUnknown) return;
    // Above the watermark an entry may stand that a cut-short process left; memory or the event itself tells of it.
    const seqs = offered.filter(seq => seq <= watermark);
    for (const { from, to } of unknown) for (let seq = from; seq <= to; seq++) seqs.push(seq);
    const candidates = seqs.length > 0 ? await store.positions(endpoint, since, seqs) : [];
    for (const one of found) if (one.receivedAt >= since) candidates.push(one);
    if (candidates.length > 2 * maxCandidates) return;
    return candidates.filter(one => isAfter(one, after)).sort(byListOrder);
  };

  /** Of one piece of the list, what can match. @param known the highest row numbers that the index offers */
  const narrow = async (
    piece: readonly Position[],
    watermark: number,
    { match, signature }: Term,
    known: readonly number[],
  ): Promise<Position[]> => {
    if (match === undefined) return [...piece];
    let low = Number.POSITIVE_INFINITY;
    let high = 0;
    for (const { seq } of piece) {
      if (seq > watermark) continue;
      low = Math.min(low, seq);
      high = Math.max(high, seq);
    }
    if (low > high) return piece.filter(({ seq }) => recent.mayMatch(seq, signature));
    const covered = (known.at(-1) ?? low + 1) <= low;
    // A clock that jumped can spread a piece over all row numbers: then the index would offer more than the piece has.
    const bound = piece.length * 2 + walkFrom;
    const offered = covered ? known : await store.offered(match, low, high, bound);
    const lowest = !covered && offered.length === bound ? (offered.at(-1) ?? 0) : 0;
    const hits = new Set(offered);
    return piece.filter(({ seq }) =>
      seq > watermark ? recent.mayMatch(seq, signature) : seq < lowest || hits.has(seq),
    );
  };

  /** Goes through the list in growing pieces until enough is found or the list ends. */
  const walk = async (search: Search, term: Term, opening: Opening): Promise<Position[]> => {
    const { endpoint, since, limit, signal } = search;
    const { watermark } = opening.progress;
    const found: Position[] = [];
    let { piece } = opening;
    for (let size = walkFrom; ; ) {
      const candidates = await narrow(piece, watermark, term, opening.offered);
      found.push(...(await verify(candidates, term.matcher, limit - found.length, signal)));
      if (piece.length < size || found.length === limit || signal?.aborted) return found;
      const after = piece.at(-1);
      size = Math.min(size * 2, walkTo);
      piece = await store.nextPositions(endpoint, since, after, size);
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
      const { found, looked } = await lookNearby(near, term.matcher, limit, signal);
      const isAll = looked === near.length && near.length < nearby + limit;
      if (found.length === limit || isAll || signal?.aborted) return found;
      const rest = { ...search, after: near[looked - 1], limit: limit - found.length };
      if (term.match === undefined) {
        const piece = await store.nextPositions(endpoint, since, rest.after, walkFrom);
        return [...found, ...(await walk(rest, term, { progress: { watermark: 0, last: 0 }, offered: [], piece }))];
      }
      const opening = await store.opening(term.match, maxCandidates + 1, rest, walkFrom);
      // A rare term has few candidates anywhere.
      const candidates = await collect(rest, term, opening);
      const older = candidates
        ? await verify(candidates, term.matcher, rest.limit, signal)
        : await walk(rest, term, opening);
      return [...found, ...older];
    },
  };
}

/** @throws invalid when `q` is longer than a search may be */
export function checkTerm(q: string): void {
  if (firstCharacters(q, maxSearchCharacters) !== q)
    throw invalid(`invalid query: q: at most ${maxSearchCharacters} characters`);
}
