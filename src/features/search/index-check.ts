/* Checks the search signatures against the events. Deliveries may be stored at the same time. */
import { blocksInAll, sliceBytes, sliceOf } from '../../core/blocks/bit-slices.ts';
import { factOfSize, factsOfValue } from '../../core/blocks/block-facts.ts';
import { gramsOf, gramsOfPath } from '../../core/blocks/block-signature.ts';
import { hasProbe, type Probe } from '../../core/blocks/narrowing.ts';
import { searchTexts } from '../../core/blocks/search-text.ts';
import { partSeq } from '../../core/blocks/signature-runs.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import { probesOfDigits, probesOfValue } from '../../core/blocks/value-filter.ts';
import { decodeUtf8 } from '../../core/text.ts';
import type { RunsStore, StoredRun } from './runs-store.ts';
import { eventsOf, type ReadEvent } from './signing.ts';
import type { SigningStore } from './signing-store.ts';
import type { SearchStore } from './store.ts';

/** The number of evenly spread blocks that are looked up by pieces of their own texts. */
const sampleSize = 200;
const piecesPerText = 5;
const pieceCharacters = 12;

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Pieces of a text, from its beginning to its end. */
function piecesOf(text: string): string[] {
  const room = Math.max(0, text.length - pieceCharacters);
  return Array.from({ length: piecesPerText }, (_, i) => {
    const at = Math.floor((room * i) / (piecesPerText - 1));
    return text.slice(at, at + pieceCharacters);
  });
}

/** The texts of the outermost object of a JSON body. */
function valuesIn(body: Uint8Array): string[] {
  try {
    const values = Object.values(JSON.parse(decodeUtf8(body) ?? '') as object) as unknown[];
    return values
      .filter(value => typeof value === 'string')
      .filter(text => text.isWellFormed())
      .slice(0, piecesPerText);
  } catch {
    return [];
  }
}

/** The facts about an event's columns that a signature must have. */
const probesOfColumns = ({ eventType, platform, method, path, body }: ReadEvent): Probe[] => [
  ...(eventType === null ? [] : factsOfValue('type', eventType)),
  ...(platform === null ? [] : factsOfValue('platform', platform)),
  ...factsOfValue('method', method),
  factOfSize('atLeast', body.length),
  factOfSize('atMost', body.length),
  ...gramsOfPath(path, 'all'),
];

export function createIndexCheck(options: {
  signing: SigningStore;
  runs: RunsStore;
  search: Pick<SearchStore, 'slices'>;
}) {
  const { signing, runs, search } = options;

  /**
   * The pieces of the block's texts and the facts that its signature must have; undefined when it no longer exists or cannot be
   * read.
   */
  const probesIn = async (block: number): Promise<Probe[][] | undefined> => {
    const found = await signing.blockAfter(block - 1);
    if (found?.seq !== block) return undefined;
    try {
      const events = await eventsOf(signing, found);
      const texts = events.flatMap(({ eventType, body }) => searchTexts(eventType, body));
      const digits = texts.flatMap(text => text.match(/\d{7}/g) ?? []).slice(0, piecesPerText);
      return [
        ...texts.flatMap(piecesOf).map(gramsOf),
        ...digits.map(text => probesOfDigits([text])),
        ...events.flatMap(({ body }) => valuesIn(body).map(text => probesOfValue(text)[0] ?? [])),
        ...events.map(probesOfColumns),
      ];
    } catch (error) {
      // The check of contents reports damaged blocks.
      if (error instanceof DamagedError) return undefined;
      throw error;
    }
  };

  const isInRun = async (run: StoredRun, position: number, probes: readonly Probe[]): Promise<boolean> => {
    const wanted = probes.flatMap(probe => {
      const place = sliceOf(probe, run, run.blocks.length);
      return place ? [{ seq: partSeq(run.seq, place.part), offset: place.offset }] : [];
    });
    const slices = await search.slices(wanted, sliceBytes(run.blocks.length));
    return slices.length === wanted.length && blocksInAll(slices, run.blocks.length).includes(position);
  };

  const isCovered = async (block: number, run: StoredRun | undefined): Promise<boolean | undefined> => {
    const own = await signing.filters(block);
    const pieces = await probesIn(block);
    if (!pieces) return undefined;
    if (own) return pieces.every(probes => probes.every(one => hasProbe(own, one)));
    const position = run?.blocks.findIndex(one => one.block === block) ?? -1;
    if (!run || position < 0) return undefined;
    for (const probes of pieces) if (!(await isInRun(run, position, probes))) return false;
    return true;
  };

  return {
    /** Problems of the search index, as sentences; empty when it agrees with the events. */
    async checkIndex(): Promise<string[]> {
      const problems: string[] = [];
      const unsigned = new Set(await signing.withoutOwn());
      const sampled = new Set(await signing.sample(sampleSize));
      const inRuns = new Map<number, StoredRun>();
      for (let run = await runs.finishedAfter(0, true); run; run = await runs.finishedAfter(run.seq, true))
        for (const { block } of run.blocks) {
          unsigned.delete(block);
          if (sampled.has(block)) inRuns.set(block, run);
        }
      if (unsigned.size > 0) problems.push(`the search index lacks ${plural(unsigned.size, 'block')}`);
      const orphans = await signing.orphans();
      if (orphans.length > 0)
        problems.push(`the search index has ${plural(orphans.length, 'signature')} without a block`);
      let checked = 0;
      let wrong = 0;
      for (const block of sampled) {
        if (unsigned.has(block)) continue;
        const covered = await isCovered(block, inRuns.get(block));
        if (covered === undefined) continue;
        checked++;
        if (!covered) wrong++;
      }
      if (wrong > 0)
        problems.push(`the search index has the wrong text of ${wrong} of ${plural(checked, 'block')} looked up`);
      return problems;
    },
  };
}
