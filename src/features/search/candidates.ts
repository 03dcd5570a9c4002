/*
 * The blocks of an endpoint whose signatures meet a condition, in list order of their newest events. Signatures are read on demand: pages
 * of single ones, and runs of older ones.
 */
import { blocksInAll, sliceBytes, sliceOf } from '../../core/blocks/bit-slices.ts';
import { combineSlices, type Narrowing, probesOf } from '../../core/blocks/narrowing.ts';
import { firstPosition, partSeq, unpackSignedBlock } from '../../core/blocks/signature-runs.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { byListOrder, firstListed, isListedAfter } from './list-order.ts';
import type { ListRest } from './rows-store.ts';
import type { Candidate, Opening, Run, SearchStore } from './store.ts';

/** Signatures per query: for the first query, and the maximum. */
export const firstPageSize = 64;
const maxPageSize = 4096;
/** Runs per query: for the first query, and the maximum. */
const firstRuns = 2;
const maxRuns = 32;

/** Thrown when blocks were moved or runs replaced since the search began: continue with new reads from the last decided position. */
export class ChangedError extends Error {}

/** @param opening includes the first page of signatures, of `firstPageSize` */
export function createCandidates(store: SearchStore, rest: ListRest, narrowing: Narrowing, opening: Opening) {
  const probes = probesOf(narrowing);
  /** In reverse order, so that the next one is the last. */
  const known: Candidate[] = [];
  const runs = opening.runs.toSorted((a, b) => byListOrder(b.first, a.first));
  const runNumbers = runs.map(({ seq }) => seq).toSorted((a, b) => a - b);
  let { last } = opening.page;
  let pageSize = firstPageSize;
  let runsAtOnce = firstRuns;

  /** A block is in both a page and a run while the run replaces its signature. */
  const seen = new Set<number>();

  const add = (found: readonly Candidate[]): void => {
    const fresh = found.filter(({ block }) => !seen.has(block));
    if (fresh.length === 0) return;
    for (const one of fresh) seen.add(one.block);
    known.push(...fresh);
    known.sort((a, b) => byListOrder(b.first, a.first));
  };
  add(opening.page.candidates);

  const readPage = async (from: Position): Promise<void> => {
    pageSize = Math.min(pageSize * 4, maxPageSize);
    const { runs: current, page } = await store.nextSignatures(rest, narrowing, from, pageSize);
    // A new run may have replaced signatures that would have been on this page.
    const numbers = current.map(({ seq }) => seq).toSorted((a, b) => a - b);
    if (numbers.some((seq, i) => seq !== runNumbers[i])) throw new ChangedError();
    add(page.candidates);
    last = page.last;
  };

  const blocksOf = async ({ seq, blocks }: Run, slices: readonly Uint8Array[]): Promise<Candidate[]> => {
    const matching = slices.length === 0 ? [] : [combineSlices(narrowing, slices, sliceBytes(blocks))];
    const positions = blocksInAll(matching, blocks);
    if (positions.length === 0) return [];
    const list = await store.blocksOfRun(seq);
    if (!list) throw new ChangedError();
    return positions
      .map(position => unpackSignedBlock(list, position))
      .filter(({ newest, oldest }) => newest >= rest.since && (!rest.after || oldest <= rest.after.receivedAt))
      .map(signed => ({ block: signed.block, first: firstPosition(signed) }));
  };

  const readRuns = async (): Promise<void> => {
    const some = runs.splice(-runsAtOnce);
    runsAtOnce = Math.min(runsAtOnce * 2, maxRuns);
    for (const [length, group] of Map.groupBy(some, ({ blocks }) => sliceBytes(blocks))) {
      const places = group.flatMap(run =>
        probes.map(probe => {
          const place = sliceOf(probe, run, run.blocks);
          return place && { seq: partSeq(run.seq, place.part), offset: place.offset };
        }),
      );
      const wanted = places.filter(place => place !== undefined);
      const found = wanted.length > 0 ? await store.slices(wanted, length) : [];
      if (found.length < wanted.length) throw new ChangedError();
      const every = new Uint8Array(length).fill(0xff);
      const next = found.values();
      const slices = places.map(place => (place && next.next().value) ?? every);
      for (const [i, run] of group.entries())
        add(await blocksOf(run, slices.slice(i * probes.length, (i + 1) * probes.length)));
    }
  };

  return {
    /** No further candidate has an event that is listed before this position; undefined if there are no candidates. */
    next: (): Position | undefined => firstListed([known.at(-1)?.first, last, runs.at(-1)?.first]),

    /** Reads more signatures, or takes the next candidates, at most `limit`. Do not call it after the last one. */
    async take(limit: number): Promise<Candidate[]> {
      const unread = firstListed([last, runs.at(-1)?.first]);
      const taken: Candidate[] = [];
      for (let one = known.at(-1); one && taken.length < limit; one = known.at(-1)) {
        if (unread && isListedAfter(one.first, unread)) break;
        taken.push(one);
        known.pop();
      }
      if (taken.length > 0) return taken;
      if (last && unread === last) await readPage(last);
      else await readRuns();
      return [];
    },
  };
}
