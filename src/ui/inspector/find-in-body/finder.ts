/* Finds texts in the views of a panel as one list of hits. Long texts are searched in slices, so that the page stays responsive. */

import { bytesPattern, findPattern, type Span } from './pattern.ts';

export type Hit = Span & {
  readonly text: number;
};

/** A string, or what is converted to text piece by piece. */
export type SourceText = Pick<string, 'length'> & { slice: (from: number, to: number) => string };

export type Source = {
  order: number;
  texts: readonly SourceText[];
  /** The texts are JSON, whose strings have escapes. */
  isJson?: boolean;
  /** The texts are bytes, one character each. */
  isBytes?: boolean;
  /** Leaves out hits in what is not shown. */
  accepts?: (hit: Hit) => boolean;
};

export const maxHits = 10_000;
const sliceMs = 8;
/** Texts are searched in pieces of this length; a match may reach so far into the next piece. */
const pieceCharacters = 1 << 18;
const overlapCharacters = 4096;
const notFound: readonly Hit[] = [];

/** @param later runs a function after the browser has done other work; returns a function that cancels it */
export function createFinder({ now, later }: { now: () => number; later: (run: () => void) => () => void }) {
  let terms: readonly string[] = [];
  let current = -1;
  let isDone = true;
  /** Counts the moves to a hit, so that a view shows it again when it is the same. */
  let moves = 0;
  let cancel: (() => void) | undefined;
  const sources = new Map<Source, Hit[]>();
  const listeners = new Set<() => void>();

  const notify = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const inOrder = (): [Source, Hit[]][] => [...sources].sort(([a], [b]) => a.order - b.order);
  const count = (): number => [...sources.values()].reduce((sum, hits) => sum + hits.length, 0);

  const search = (steps: Generator<void>): void => {
    const until = now() + sliceMs;
    let isOver = steps.next().done === true;
    while (!isOver && now() < until) isOver = steps.next().done === true;
    isDone = isOver;
    cancel = isOver ? undefined : later(() => search(steps));
    if (current < 0 && count() > 0) {
      current = 0;
      moves++;
    }
    notify();
  };

  const begin = (): void => {
    cancel?.();
    const hadHits = count() > 0;
    for (const source of sources.keys()) sources.set(source, []);
    current = -1;
    isDone = terms.length === 0;
    if (isDone) {
      if (hadHits) notify();
      return;
    }
    // Views that appear together are searched together.
    cancel = later(() => search(searchAll(inOrder(), terms)));
  };

  return {
    /** Searches for other texts, from the first hit on. The same array is not searched again. */
    setTerms(next: readonly string[]): void {
      if (next === terms) return;
      terms = next;
      begin();
    },

    add(source: Source): () => void {
      sources.set(source, []);
      begin();
      return () => {
        sources.delete(source);
        begin();
      };
    },

    /** To the next hit, or the one before; from the last to the first. */
    step(by: 1 | -1): void {
      const hits = count();
      if (hits === 0) return;
      current = (current + by + hits) % hits;
      moves++;
      notify();
    },

    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** `position`: the number of the current hit, from 1; 0 without hits. */
    found: () => ({ count: count(), position: current + 1, isDone, isCapped: count() >= maxHits }),

    hitsOf: (source: Source): readonly Hit[] => sources.get(source) ?? notFound,

    currentOf(source: Source): Hit | undefined {
      let before = 0;
      for (const [one, hits] of inOrder()) {
        if (one === source) return hits[current - before];
        before += hits.length;
      }
      return undefined;
    },

    moves: () => moves,

    stop(): void {
      cancel?.();
    },
  };
}

export type Finder = ReturnType<typeof createFinder>;
export type Found = ReturnType<Finder['found']>;

function* searchAll(sources: readonly [Source, Hit[]][], terms: readonly string[]): Generator<void> {
  let left = maxHits;
  for (const [source, hits] of sources) {
    for (const [index, text] of source.texts.entries()) {
      const pattern = source.isBytes
        ? bytesPattern(terms)
        : findPattern(terms, { inEscapes: source.isJson === true && text.slice(0, text.length).includes('\\') });
      if (!pattern) return;
      for (let from = 0; from < text.length; ) {
        from = searchPiece(text, from, pattern, hit => {
          const found = { ...hit, text: index };
          if (left === 0 || source.accepts?.(found) === false) return;
          hits.push(found);
          left--;
        });
        yield;
        if (left === 0) return;
      }
    }
  }
}

/** Finds what begins in one piece of the text. @returns where the next piece begins */
function searchPiece(text: SourceText, from: number, pattern: RegExp, add: (span: Span) => void): number {
  const end = Math.min(text.length, from + pieceCharacters);
  const piece = text.slice(from, Math.min(text.length, end + overlapCharacters));
  let next = end;
  pattern.lastIndex = 0;
  for (let hit = pattern.exec(piece); hit; hit = pattern.exec(piece)) {
    if (from + hit.index >= end) break;
    if (isInsideEscape(text, from + hit.index, hit[0])) continue;
    add({ start: from + hit.index, end: from + pattern.lastIndex });
    next = Math.max(end, from + pattern.lastIndex);
  }
  return next;
}

/** Whether a match that begins with a backslash begins with the second half of an escaped one. */
function isInsideEscape(text: SourceText, at: number, match: string): boolean {
  if (!match.startsWith('\\')) return false;
  let slashes = 0;
  while (slashes < at && text.slice(at - 1 - slashes, at - slashes) === '\\') slashes++;
  return slashes % 2 === 1;
}
