/*
 * What two documents or two lists of pairs have in common and what differs, as the rows of one tree: each difference with its parents and
 * neighbours. JSON values are equal only when their text is equal, so `1` and `1.0` differ. The order of keys is ignored, the order of items
 * is not. Duplicate keys are compared in order. Pure.
 */

import { commonPairs } from '../../../shared/diff/common-pairs.ts';
import { matchPairs } from '../../../shared/diff/text-diff.ts';
import { type JsonDocument, type JsonNode, keyOf, pathOf, sourceText, valueText } from '../body/json.ts';
import { looksLikeIdOrTime } from './ids-and-times.ts';

export type DiffRow = {
  /** A parent is in both and contains a difference. */
  kind: 'parent' | 'same' | 'added' | 'removed' | 'changed';
  depth: number;
  /** Its key, `[2]` for an item, or the name of a pair; the whole path where the tree is too deep to be shown. */
  name: string;
  /** As written; missing on the side that does not have it, and for a parent. */
  before?: string | undefined;
  after?: string | undefined;
  /** A changed value that looks like an id, a time or a signature. */
  isIdOrTime?: boolean;
};

export const maxDifferences = 2000;
/** Deeper values are listed with their path, without neighbours. */
const maxDepth = 40;

export const isDifference = ({ kind }: DiffRow): boolean => kind !== 'parent' && kind !== 'same';

/** The rows of two JSON documents in document order; added members are at the end of their object. */
export function jsonRows(left: JsonDocument, right: JsonDocument): DiffRow[] {
  const rows: DiffRow[] = [];
  const work: Pair[] = [[0, 0]];
  let differences = 0;
  const add = (row: DiffRow): void => {
    rows.push(row);
    if (isDifference(row)) differences++;
  };
  for (let next = work.pop(); next && differences < maxDifferences; next = work.pop()) {
    const [a, b] = next;
    const [one, other] = [a === undefined ? undefined : left.nodes[a], b === undefined ? undefined : right.nodes[b]];
    const place = (): Pick<DiffRow, 'depth' | 'name'> => (a === undefined ? placeOf(right, b ?? 0) : placeOf(left, a));
    if (!one || !other || a === undefined || b === undefined)
      add({
        ...{ kind: one ? 'removed' : 'added', ...place() },
        before: one && sourceText(left, one),
        after: other && sourceText(right, other),
      });
    else if (
      isContainer(one) &&
      one.kind === other.kind &&
      one.size + other.size > 0 &&
      !isSame(left, one, right, other)
    ) {
      if (one.depth > 0 && one.depth <= maxDepth) add({ kind: 'parent', ...place() });
      const pairs = one.kind === 'object' ? pairMembers(left, a, right, b) : pairItems(left, a, right, b);
      // In reverse, to be visited in document order.
      for (const pair of pairs.reverse()) work.push(pair);
    } else if (written(left, one) !== written(right, other)) add(changedRow(left, one, right, other, place()));
    else if (one.depth <= maxDepth) {
      const text = sourceText(left, one);
      add({ kind: 'same', ...place(), before: text, after: text });
    }
  }
  return rows;
}

/** Deeper containers are not compared as a whole: at each level again, that would take too long. */
const isSame = (left: JsonDocument, one: JsonNode, right: JsonDocument, other: JsonNode): boolean =>
  one.depth <= maxDepth &&
  one.end - one.start === other.end - other.start &&
  sourceText(left, one) === sourceText(right, other);

/** The text of a scalar; of a container only its kind, because it is the same or empty, apart from whitespace. */
const written = (document: JsonDocument, one: JsonNode): string =>
  isContainer(one) ? one.kind : sourceText(document, one);

function changedRow(
  left: JsonDocument,
  one: JsonNode,
  right: JsonDocument,
  other: JsonNode,
  place: Pick<DiffRow, 'depth' | 'name'>,
): DiffRow {
  const isIdOrTime =
    !isContainer(one) &&
    !isContainer(other) &&
    looksLikeIdOrTime(keyOf(left, one) ?? '', valueText(left, one), valueText(right, other));
  return { kind: 'changed', ...place, before: sourceText(left, one), after: sourceText(right, other), isIdOrTime };
}

export const pairRows = (...lists: Parameters<typeof matchPairs>): DiffRow[] =>
  matchPairs(...lists).map(({ name, before, after }): DiffRow => {
    if (before === undefined || after === undefined)
      return { kind: before === undefined ? 'added' : 'removed', depth: 0, name, before, after };
    const kind = before === after ? 'same' : 'changed';
    return { kind, depth: 0, name, before, after, isIdOrTime: looksLikeIdOrTime(name, before, after) };
  });

/** Rows without a difference that are left out between two others. */
export type Fold = { kind: 'fold'; depth: number; rows: DiffRow[]; sameCount: number; hiddenCount: number };
type Options = { hidesIdsAndTimes: boolean };

export function foldRows(rows: readonly DiffRow[], options: Options): (DiffRow | Fold)[] {
  const folded: (DiffRow | Fold)[] = [];
  const parts = prune(rows, options);
  for (let start = 0; start < parts.length; ) {
    const part = parts[start];
    if (!part) break;
    if (part.isShown) {
      for (const row of part.rows) folded.push(row);
      start++;
      continue;
    }
    let end = start;
    while (parts[end]?.isShown === false && parts[end]?.depth === part.depth) end++;
    const run = parts.slice(start, end);
    // A neighbour has a difference among its own siblings, before or behind it.
    const first = start > 0 && (parts[start - 1]?.depth ?? 0) >= part.depth ? 1 : 0;
    const last = end < parts.length && (parts[end]?.depth ?? 0) >= part.depth ? 1 : 0;
    folded.push(...foldRun(run, first, last));
    start = end;
  }
  return folded;
}

/** A row that is shown, or one without differences and what is below it. */
type Part = { isShown: boolean; depth: number; rows: DiffRow[]; hiddenCount: number };

/** Parents without a difference become one part. */
function prune(rows: readonly DiffRow[], { hidesIdsAndTimes }: Options): Part[] {
  const reversed: Part[] = [];
  for (const row of rows.toReversed()) {
    const isHidden = hidesIdsAndTimes && row.isIdOrTime === true && row.kind === 'changed';
    const part: Part = {
      isShown: isDifference(row) && !isHidden,
      depth: row.depth,
      rows: [row],
      hiddenCount: isHidden ? 1 : 0,
    };
    if (row.kind === 'parent') {
      const below = reversed.findLastIndex(({ depth }) => depth <= row.depth) + 1;
      const inner = reversed.slice(below);
      part.isShown = inner.some(({ isShown }) => isShown);
      if (!part.isShown) {
        reversed.length = below;
        part.rows = [row, ...inner.toReversed().flatMap(one => one.rows)];
        part.hiddenCount = inner.reduce((sum, one) => sum + one.hiddenCount, 0);
      }
    }
    reversed.push(part);
  }
  return reversed.reverse();
}

/** @param first how many neighbours stay at its beginning @param last and at its end */
function foldRun(run: readonly Part[], first: number, last: number): (DiffRow | Fold)[] {
  const isPlain = (part: Part | undefined): boolean => part?.hiddenCount === 0 && part.rows.length === 1;
  const start = isPlain(run[0]) ? first : 0;
  const end = run.length - (isPlain(run.at(-1)) && run.length > start ? last : 0);
  const middle = run.slice(start, end);
  const rowsOf = (parts: readonly Part[]): DiffRow[] => parts.flatMap(({ rows }) => rows);
  const isWorthIt = middle.length > 1 || middle.some(part => !isPlain(part));
  const hiddenCount = middle.reduce((sum, part) => sum + part.hiddenCount, 0);
  const fold: Fold = {
    kind: 'fold',
    depth: run[0]?.depth ?? 0,
    rows: rowsOf(middle),
    sameCount: middle.filter(part => part.hiddenCount === 0).length,
    hiddenCount,
  };
  return [...rowsOf(run.slice(0, start)), ...(isWorthIt ? [fold] : rowsOf(middle)), ...rowsOf(run.slice(end))];
}

type Pair = [left: number | undefined, right: number | undefined];

const isContainer = (one: JsonNode): boolean => one.kind === 'object' || one.kind === 'array';

const node = (document: JsonDocument, index: number): JsonNode => {
  const found = document.nodes[index];
  if (!found) throw new RangeError('no such node');
  return found;
};

function placeOf(document: JsonDocument, index: number): Pick<DiffRow, 'depth' | 'name'> {
  const one = node(document, index);
  if (one.depth > maxDepth) return { depth: maxDepth, name: pathOf(document, index) };
  const name = one.parent < 0 ? 'value' : (keyOf(document, one) ?? `[${one.position}]`);
  return { depth: Math.max(0, one.depth - 1), name };
}

const childrenOf = (document: JsonDocument, index: number): number[] => {
  const children: number[] = [];
  const { after } = node(document, index);
  for (let at = index + 1; at < after; at = node(document, at).after) children.push(at);
  return children;
};

const pairMembers = (left: JsonDocument, a: number, right: JsonDocument, b: number): Pair[] => {
  const theirs = Map.groupBy(childrenOf(right, b), child => keyOf(right, node(right, child)) ?? '');
  const pairs: Pair[] = childrenOf(left, a).map(child => [
    child,
    theirs.get(keyOf(left, node(left, child)) ?? '')?.shift(),
  ]);
  return [...pairs, ...[...theirs.values()].flat().map((child): Pair => [undefined, child])];
};

const pairItems = (left: JsonDocument, a: number, right: JsonDocument, b: number): Pair[] => {
  const mine = childrenOf(left, a);
  const theirs = childrenOf(right, b);
  const anchors = commonPairs(
    mine.map(child => sourceText(left, node(left, child))),
    theirs.map(child => sourceText(right, node(right, child))),
  );
  // Items between two equal items are paired in order, so that a changed item shows its inner changes.
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  for (const anchor of [...anchors, { left: mine.length, right: theirs.length }]) {
    while (i < anchor.left || j < anchor.right) {
      pairs.push([i < anchor.left ? mine[i++] : undefined, j < anchor.right ? theirs[j++] : undefined]);
    }
    if (i < mine.length && j < theirs.length) pairs.push([mine[i], theirs[j]]);
    i++;
    j++;
  }
  return pairs;
};
