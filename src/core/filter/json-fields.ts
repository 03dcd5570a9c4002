/*
 * Tests the values at several paths of a JSON body in one pass, without parsing it: only what a path leads to is looked at. Of repeated
 * keys the last one counts, as for JSON.parse. The depth of recursion is that of the longest path, not that of the body.
 */
import type { Step } from '../../shared/filter/filter.ts';
import {
  backslash,
  closeList,
  closeObject,
  comma,
  endOfByteOrderMark,
  openList,
  openObject,
  quote,
  skipSpace,
} from '../json/bytes.ts';
import { type ContentTest, stringAt } from './content-test.ts';

/** `tests` and `below` are indexes of tests: of those that end here, and of those that end here or further down. */
type Branch = { children: Child[]; item: Branch | undefined; tests: number[]; below: number[] };
type Child = { key: string; utf8: Uint8Array; index: number; branch: Branch };

export type JsonPaths = { readonly root: Branch; readonly tests: readonly ContentTest[] };

export function createJsonPaths(wanted: readonly { path: readonly Step[]; test: ContentTest }[]): JsonPaths {
  const root = createBranch();
  for (const [number, { path }] of wanted.entries()) {
    let branch = root;
    for (const step of path) {
      branch = 'key' in step ? childOf(branch, step.key) : itemOf(branch);
      branch.below.push(number);
    }
    branch.tests.push(number);
  }
  return { root, tests: wanted.map(({ test }) => test) };
}

const createBranch = (): Branch => ({ children: [], item: undefined, tests: [], below: [] });

function childOf({ children }: Branch, key: string): Branch {
  const known = children.find(child => child.key === key);
  if (known) return known.branch;
  const index = /^(?:0|[1-9]\d{0,8})$/.test(key) ? Number(key) : -1;
  const child = { key, utf8: Buffer.from(key, 'utf8'), index, branch: createBranch() };
  children.push(child);
  return child.branch;
}

function itemOf(branch: Branch): Branch {
  branch.item ??= createBranch();
  return branch.item;
}

/**
 * For each test, how many values meet it.
 * @param body valid JSON
 */
export function countMatches(body: Uint8Array, { root, tests }: JsonPaths): number[] {
  const counts = tests.map(() => 0);
  visit({ body, tests, counts }, root, skipSpace(body, endOfByteOrderMark(body)));
  return counts;
}

type Visit = { body: Uint8Array; tests: readonly ContentTest[]; counts: number[] };

/** @returns the position after the value at `start` */
function visit(state: Visit, branch: Branch, start: number): number {
  const { body, tests, counts } = state;
  const byte = body[start];
  if (byte === openObject || byte === openList) {
    for (const number of branch.tests) if (tests[number]?.isPresence) counts[number] = (counts[number] ?? 0) + 1;
    if (byte === openObject && branch.children.length > 0) return visitObject(state, branch.children, start);
    if (byte === openList && (branch.children.length > 0 || branch.item)) return visitList(state, branch, start);
    return endOfContainer(body, start);
  }
  const end = endOfScalar(body, start);
  for (const number of branch.tests)
    if (tests[number]?.matchesJson(body, start, end)) counts[number] = (counts[number] ?? 0) + 1;
  return end;
}

function visitObject(state: Visit, children: readonly Child[], start: number): number {
  const { body } = state;
  /** What the value of a key has added to the counts, to take it back when the key comes again. */
  let added: Map<Child, number[]> | undefined;
  let at = skipSpace(body, start + 1);
  while (at < body.length && body[at] !== closeObject) {
    const keyEnd = endOfString(body, at + 1);
    const child = childAt(body, children, at, keyEnd);
    // A colon is here.
    at = skipSpace(body, skipSpace(body, keyEnd + 1) + 1);
    if (child) {
      const before = added?.get(child);
      if (before) addTo(state.counts, child.branch.below, before, -1);
      const counts = pick(state.counts, child.branch.below);
      at = visit(state, child.branch, at);
      const more = pick(state.counts, child.branch.below).map((count, i) => count - (counts[i] ?? 0));
      if (before || more.some(count => count > 0)) {
        added ??= new Map();
        added.set(child, more);
      }
    } else at = endOfValue(body, at);
    at = skipSpace(body, at);
    if (body[at] === comma) at = skipSpace(body, at + 1);
  }
  return at + 1;
}

const pick = (counts: readonly number[], which: readonly number[]): number[] =>
  which.map(number => counts[number] ?? 0);

function addTo(counts: number[], which: readonly number[], more: readonly number[], sign: number): void {
  for (const [i, number] of which.entries()) counts[number] = (counts[number] ?? 0) + sign * (more[i] ?? 0);
}

function visitList(state: Visit, { children, item }: Branch, start: number): number {
  const { body } = state;
  let at = skipSpace(body, start + 1);
  for (let index = 0; at < body.length && body[at] !== closeList; index++) {
    const value = at;
    const child = children.find(one => one.index === index);
    if (child) at = visit(state, child.branch, value);
    if (item) at = visit(state, item, value);
    if (!child && !item) at = endOfValue(body, value);
    at = skipSpace(body, at);
    if (body[at] === comma) at = skipSpace(body, at + 1);
  }
  return at + 1;
}

/** The child whose key stands between the quotes at `start` and `end`. */
function childAt(body: Uint8Array, children: readonly Child[], start: number, end: number): Child | undefined {
  if (!hasEscape(body, start, end)) return children.find(({ utf8 }) => isSame(body, start + 1, end, utf8));
  const written = stringAt(body, start, end + 1);
  return children.find(({ key }) => key === written);
}

function hasEscape(body: Uint8Array, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if (body[at] === backslash) return true;
  return false;
}

function isSame(body: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++) if (body[start + i] !== wanted[i]) return false;
  return true;
}

function endOfValue(body: Uint8Array, start: number): number {
  const byte = body[start];
  return byte === openObject || byte === openList ? endOfContainer(body, start) : endOfScalar(body, start);
}

function endOfContainer(body: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfString(body, at + 1);
    else if (byte === openObject || byte === openList) depth++;
    else if (byte === closeObject || byte === closeList) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return body.length;
}

function endOfScalar(body: Uint8Array, start: number): number {
  if (body[start] === quote) return endOfString(body, start + 1) + 1;
  let at = start;
  // Numbers and words contain no byte below `+`, no comma and no closing bracket.
  for (let byte = body[at] ?? 0; byte > 0x20 && byte !== comma && byte !== closeList && byte !== closeObject; ) {
    at++;
    byte = body[at] ?? 0;
  }
  return at;
}

/** The position of the closing quote. */
function endOfString(body: Uint8Array, start: number): number {
  let at = start;
  for (let byte = body[at]; byte !== quote && byte !== undefined; byte = body[at]) at += byte === backslash ? 2 : 1;
  return at;
}
