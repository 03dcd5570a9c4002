/*
 * The differences of two JSON documents by path. Values are equal only when their text is equal, so `1` and `1.0` differ. The order of
 * keys is ignored, the order of items is not. Duplicate keys are compared in order.
 */

import { commonPairs } from '../../../shared/diff/common-pairs.ts';
import { type JsonDocument, type JsonNode, keyOf, pathOf, sourceText } from '../body/json.ts';

export type Change = {
  kind: 'added' | 'removed' | 'changed';
  /** The path in the right document for added values, otherwise in the left. */
  path: string;
  before: string | undefined;
  after: string | undefined;
};

export const maxChanges = 2000;

/** The changes in document order, at most `maxChanges`. */
export function diffJson(left: JsonDocument, right: JsonDocument): Change[] {
  const changes: Change[] = [];
  const work: [a: number, b: number][] = [[0, 0]];
  const added = (index: number): unknown => changes.push(change(right, index, 'added'));
  const removed = (index: number): unknown => changes.push(change(left, index, 'removed'));
  const visit = (a: number, b: number): void => {
    const one = node(left, a);
    const other = node(right, b);
    if (one.kind !== other.kind || one.size + other.size === 0 || !isContainer(one)) {
      if (written(left, one) === written(right, other)) return;
      changes.push({
        kind: 'changed',
        path: pathOf(left, a),
        before: sourceText(left, one),
        after: sourceText(right, other),
      });
      return;
    }
    const pairs = one.kind === 'object' ? pairMembers(left, a, right, b) : pairItems(left, a, right, b);
    // Pairs are pushed in reverse to be visited in document order. Children on one side only are reported here.
    const inner: [number, number][] = [];
    for (const [mine, theirs] of pairs) {
      if (mine === undefined && theirs !== undefined) added(theirs);
      else if (theirs === undefined && mine !== undefined) removed(mine);
      else if (mine !== undefined && theirs !== undefined) inner.push([mine, theirs]);
    }
    work.push(...inner.reverse());
  };
  for (let next = work.pop(); next && changes.length < maxChanges; next = work.pop()) visit(next[0], next[1]);
  return changes.slice(0, maxChanges);
}

type Pair = [left: number | undefined, right: number | undefined];

const isContainer = (one: JsonNode): boolean => one.kind === 'object' || one.kind === 'array';

const node = (document: JsonDocument, index: number): JsonNode => {
  const found = document.nodes[index];
  if (!found) throw new RangeError('no such node');
  return found;
};

/** The text of a scalar; the kind of an empty container, so that whitespace in it is ignored. */

const written = (document: JsonDocument, one: JsonNode): string =>
  isContainer(one) ? one.kind : sourceText(document, one);

const change = (document: JsonDocument, index: number, kind: 'added' | 'removed'): Change => {
  const text = sourceText(document, node(document, index));
  const path = pathOf(document, index);
  return kind === 'added'
    ? { kind, path, before: undefined, after: text }
    : { kind, path, before: text, after: undefined };
};

const childrenOf = (document: JsonDocument, index: number): number[] => {
  const children: number[] = [];
  const { after } = node(document, index);
  for (let at = index + 1; at < after; at = node(document, at).after) children.push(at);
  return children;
};

const pairMembers = (left: JsonDocument, a: number, right: JsonDocument, b: number): Pair[] => {
  const theirs = new Map<string, number[]>();
  for (const child of childrenOf(right, b)) {
    const key = keyOf(right, node(right, child)) ?? '';
    const list = theirs.get(key);
    if (list) list.push(child);
    else theirs.set(key, [child]);
  }
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
    i++;
    j++;
  }
  return pairs;
};
