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

/** A value in its document. */
type At = { document: JsonDocument; index: number; node: JsonNode };
type Pair = [left: At | undefined, right: At | undefined];

const nodeOf = (document: JsonDocument, index: number): At => {
  const node = document.nodes[index];
  if (!node) throw new RangeError('no such node');
  return { document, index, node };
};
const textOf = ({ document, node }: At): string => sourceText(document, node);
const isContainer = ({ node: { kind } }: At): boolean => kind === 'object' || kind === 'array';

/** The rows of two JSON documents in document order; added members are at the end of their object. */
export function jsonRows(left: JsonDocument, right: JsonDocument): DiffRow[] {
  const rows: DiffRow[] = [];
  const work: Pair[] = [[nodeOf(left, 0), nodeOf(right, 0)]];
  let differences = 0;
  const add = (row: DiffRow): void => {
    rows.push(row);
    if (isDifference(row)) differences++;
  };
  for (let next = work.pop(); next && differences < maxDifferences; next = work.pop()) {
    const [one, other] = next;
    if (one && other) {
      const { kind, depth, size } = one.node;
      const hasMembers = kind === other.node.kind && size + other.node.size > 0;
      if (isContainer(one) && hasMembers && !isSame(one, other)) {
        if (depth > 0 && depth <= maxDepth) add({ kind: 'parent', ...placeOf(one) });
        const pairs = kind === 'object' ? pairMembers(one, other) : pairItems(one, other);
        // In reverse, to be visited in document order.
        for (const pair of pairs.reverse()) work.push(pair);
      } else if (written(one) !== written(other)) add(changedRow(one, other));
      else if (depth <= maxDepth) add({ kind: 'same', ...placeOf(one), before: textOf(one), after: textOf(one) });
    } else if (one) add({ kind: 'removed', ...placeOf(one), before: textOf(one) });
    else if (other) add({ kind: 'added', ...placeOf(other), after: textOf(other) });
  }
  return rows;
}

/** Deeper containers are not compared as a whole: at each level again, that would take too long. */
const isSame = (one: At, other: At): boolean =>
  one.node.depth <= maxDepth &&
  one.node.end - one.node.start === other.node.end - other.node.start &&
  textOf(one) === textOf(other);

/** The text of a scalar; of a container only its kind, because it is the same or empty, apart from whitespace. */
const written = (one: At): string => (isContainer(one) ? one.node.kind : textOf(one));

function changedRow(one: At, other: At): DiffRow {
  const [before, after] = [one, other].map(({ document, node }) => valueText(document, node));
  const isScalar = !isContainer(one) && !isContainer(other);
  const isIdOrTime = isScalar && looksLikeIdOrTime(keyOf(one.document, one.node) ?? '', before ?? '', after ?? '');
  return { kind: 'changed', ...placeOf(one), before: textOf(one), after: textOf(other), isIdOrTime };
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

function placeOf({ document, index, node }: At): Pick<DiffRow, 'depth' | 'name'> {
  if (node.depth > maxDepth) return { depth: maxDepth, name: pathOf(document, index) };
  const name = node.parent < 0 ? 'value' : (keyOf(document, node) ?? `[${node.position}]`);
  return { depth: Math.max(0, node.depth - 1), name };
}

function childrenOf({ document, index, node: { after } }: At): At[] {
  const children: At[] = [];
  for (let at = index + 1; at < after; at = children.at(-1)?.node.after ?? after) children.push(nodeOf(document, at));
  return children;
}

const keyIn = ({ document, node }: At): string => keyOf(document, node) ?? '';

function pairMembers(one: At, other: At): Pair[] {
  const theirs = Map.groupBy(childrenOf(other), keyIn);
  const pairs: Pair[] = childrenOf(one).map(child => [child, theirs.get(keyIn(child))?.shift()]);
  return [...pairs, ...[...theirs.values()].flat().map((child): Pair => [undefined, child])];
}

function pairItems(one: At, other: At): Pair[] {
  const [mine, theirs] = [childrenOf(one), childrenOf(other)];
  const anchors = commonPairs(mine.map(textOf), theirs.map(textOf));
  // Items between two equal items are paired in order, so that a changed item shows its inner changes.
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  for (const anchor of [...anchors, { left: mine.length, right: theirs.length }]) {
    while (i < anchor.left || j < anchor.right)
      pairs.push([i < anchor.left ? mine[i++] : undefined, j < anchor.right ? theirs[j++] : undefined]);
    if (i < mine.length && j < theirs.length) pairs.push([mine[i], theirs[j]]);
    i++;
    j++;
  }
  return pairs;
}
