/* Which items of the command palette fit a typed text, and in which order. */

export type Ranked = {
  /** Stays the same from one visit to the next; it is what is remembered as recent. */
  id: string;
  /** What is shown, and matched even when letters are left out: `cac` finds “Copy as curl”. */
  label: string;
  /** Other texts that find it, such as an id. Each word that is typed has to be in one of them as it is. */
  also?: readonly string[];
};

const wordScore = 80;
const insideScore = 60;
const looseScore = 20;
/** A match in other texts counts less than one in the label. */
const alsoFactor = 0.8;
const recentScore = 6;
/** How far apart two letters may be inside a word. */
const maxGap = 3;

/**
 * The items that match every word of the text, best first; without a text all of them. Equal ones keep their order.
 * @param recent ids, the last used first
 */
export function rank<T extends Ranked>(items: readonly T[], text: string, recent: readonly string[]): T[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const places = new Map(recent.map((id, index) => [id, index]));
  const bonusOf = (id: string): number => recentScore * (1 - (places.get(id) ?? recent.length) / (recent.length || 1));
  return items
    .map(item => ({ item, score: scoreOf(item, words) + bonusOf(item.id) }))
    .filter(({ score }) => score > -Infinity)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function scoreOf({ label, also = [] }: Ranked, words: readonly string[]): number {
  const folded = fold(label);
  const others = also.map(fold);
  let sum = 0;
  for (const word of words) {
    const best = Math.max(inLabel(word, folded), ...others.map(other => alsoFactor * asItIs(word, other)));
    if (best <= 0) return -Infinity;
    sum += best;
  }
  return words.length === 0 ? 0 : sum / words.length;
}

const inLabel = (word: string, label: string): number => asItIs(word, label) || loosely(word, label);

/** The score of a word that is part of the text: the shorter the text, the better. 0 if it is not part of it. */
function asItIs(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  const short = 15 / (1 + (text.length - word.length) / 8);
  if (at === 0) return 100 + short;
  for (let start = at; start >= 0; start = text.indexOf(word, start + 1))
    if (isWordStart(text, start)) return wordScore + short;
  return insideScore + short;
}

/**
 * The letters in their order. The first one begins a word; each of the others follows soon, or begins a later word. The more of them
 * follow at once or begin words, the better.
 */
function loosely(word: string, text: string): number {
  if (word.length < 2 || word.length > text.length) return 0;
  const starts = wordStarts(text);
  /** For the letters so far: the best count of good steps, by the place of the last one. */
  let ends = new Map(starts.filter(at => text.charAt(at) === word.charAt(0)).map(at => [at, 1]));
  for (const letter of word.slice(1)) {
    const next = new Map<number, number>();
    for (const [end, good] of ends) {
      const step = (at: number, isGood: boolean): void => {
        const steps = good + (isGood ? 1 : 0);
        if (text.charAt(at) === letter && steps > (next.get(at) ?? 0)) next.set(at, steps);
      };
      for (let at = end + 1; at <= end + maxGap; at++) step(at, at === end + 1);
      for (const at of starts) if (at > end) step(at, true);
    }
    if (next.size === 0) return 0;
    ends = next;
  }
  return looseScore * (1 + Math.max(0, ...ends.values()) / word.length) + 1 / text.length;
}

const wordStarts = (text: string): number[] =>
  Array.from({ length: text.length }, (_, at) => at).filter(at => isWordStart(text, at));

const isWordStart = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));
