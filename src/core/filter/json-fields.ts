/* Tests values at paths of JSON in one pass, without parsing or recursion, in steps. Of repeated keys the last counts. */
import type { Step } from '../../shared/filter/filter.ts';
import {
  backslash,
  closeList,
  closeObject,
  comma,
  endOfByteOrderMark,
  endOfScalar,
  endOfString,
  openList,
  openObject,
  quote,
  skipSpace,
  stringAt,
} from '../json/bytes.ts';
import type { ContentTest } from './content-test.ts';

/** `tests`: indexes of the tests whose path ends here. `below`: indexes of the tests whose path ends here or deeper. */
type Branch = { children: Child[]; item: Branch | undefined; tests: number[]; below: number[] };
/** `withItem`: the branch for this item of a list, if there is also a branch for every item. */
type Child = { key: string; utf8: Uint8Array; index: number; branch: Branch; withItem: Branch | undefined };

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

/** Whether a key is also the position of an item in a list. */
export const isIndex = (key: string): boolean => /^(?:0|[1-9]\d{0,8})$/.test(key);

function childOf({ children }: Branch, key: string): Branch {
  const known = children.find(child => child.key === key);
  if (known) return known.branch;
  const index = isIndex(key) ? Number(key) : -1;
  const child = { key, utf8: Buffer.from(key, 'utf8'), index, branch: createBranch(), withItem: undefined };
  children.push(child);
  return child.branch;
}

function itemOf(branch: Branch): Branch {
  branch.item ??= createBranch();
  return branch.item;
}

function branchOfItem({ children, item }: Branch, index: number): Branch | undefined {
  const child = children.find(one => one.index === index);
  if (!child || !item) return child?.branch ?? item;
  child.withItem ??= merged(child.branch, item);
  return child.withItem;
}

function merged(a: Branch, b: Branch): Branch {
  const children = a.children.map(child => {
    const other = b.children.find(({ key }) => key === child.key);
    return other ? { ...child, branch: merged(child.branch, other.branch) } : child;
  });
  const more = b.children.filter(({ key }) => !a.children.some(child => child.key === key));
  return {
    // The branch of a child together with every item is different here.
    children: [...children, ...more].map(child => ({ ...child, withItem: undefined })),
    item: a.item && b.item ? merged(a.item, b.item) : (a.item ?? b.item),
    tests: [...a.tests, ...b.tests],
    below: [...a.below, ...b.below],
  };
}

/** An object or list into which a path leads. */
type Frame = {
  readonly branch: Branch;
  readonly isObject: boolean;
  index: number;
  /** The key of the current value, and the counts before it. */
  child: Child | undefined;
  before: readonly number[];
  /** What the values of keys have added to the counts, so that it can be reverted if a key is repeated. */
  added: Map<Child, readonly number[]> | undefined;
};

/** How many values meet each test. @param body valid JSON @param stepBytes how much is read between two yields */
export function* countMatches(
  body: Uint8Array,
  { root, tests }: JsonPaths,
  stepBytes = Infinity,
): Generator<undefined, number[]> {
  const counts = tests.map(() => 0);
  const frames: Frame[] = [];
  const skipping: Skipping = { depth: 0, isInString: false, isDone: false };
  let branch: Branch | undefined = root;
  let at = skipSpace(body, endOfByteOrderMark(body));
  let limit = stepBytes;
  for (;;) {
    // A value begins here. It is skipped if no branch leads to it.
    const start = at;
    const isObject = body[at] === openObject;
    const isContainer = isObject || body[at] === openList;
    const isEntered = isContainer && branch !== undefined && hasBranches(branch, isObject);
    if (isEntered) at++;
    else {
      skipping.isDone = false;
      at = skip(body, at, limit, skipping);
    }
    while (at >= limit) {
      yield;
      limit = at + stepBytes;
      if (!isEntered && !skipping.isDone) at = skip(body, at, limit, skipping);
    }
    if (branch) countValue(counts, tests, branch, body, start, isContainer ? -1 : at);
    if (isEntered && branch)
      frames.push({ branch, isObject, index: -1, child: undefined, before: [], added: undefined });
    // The next value of the innermost container.
    for (;;) {
      const frame = frames.at(-1);
      if (!frame) return counts;
      if (frame.child) endOfChild(counts, frame, frame.child);
      at = skipSpace(body, at);
      if (body[at] === comma) at = skipSpace(body, at + 1);
      if (body[at] !== closeObject && body[at] !== closeList && at < body.length) {
        at = frame.isObject ? enterMember(body, counts, frame, at) : at;
        branch = frame.isObject ? frame.child?.branch : branchOfItem(frame.branch, ++frame.index);
        break;
      }
      frames.pop();
      at++;
    }
  }
}

type Skipping = { depth: number; isInString: boolean; isDone: boolean };

/** 1 for the bytes that matter inside a string. */
const endsText = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte === quote || byte === backslash));

/** @returns the position after the value at `start`; or a position from `limit` on, at which the next call continues */
function skip(body: Uint8Array, start: number, limit: number, state: Skipping): number {
  const end = Math.min(limit, body.length);
  let at = start;
  while (at < end) {
    if (state.isInString) {
      while (at < end && endsText[body[at] as number] === 0) at++;
      if (body[at] === backslash) at += 2;
      else if (at < end) {
        state.isInString = false;
        state.isDone = state.depth === 0;
        at++;
      }
    } else {
      const byte = body[at++];
      if (byte === quote) state.isInString = true;
      else if (byte === openObject || byte === openList) state.depth++;
      else if (byte === closeObject || byte === closeList) state.isDone = --state.depth === 0;
      else if (state.depth === 0) {
        state.isDone = true;
        return endOfScalar(body, at);
      }
    }
    if (state.isDone) return at;
  }
  return at;
}

const hasBranches = ({ children, item }: Branch, isObject: boolean): boolean =>
  children.length > 0 || (!isObject && item !== undefined);

/** @param end -1 for a container */
function countValue(
  counts: number[],
  tests: readonly ContentTest[],
  branch: Branch,
  body: Uint8Array,
  start: number,
  end: number,
): void {
  for (const number of branch.tests) {
    const test = tests[number];
    if (test?.isPresence || (end >= 0 && test?.matchesJson(body, start, end)))
      counts[number] = (counts[number] ?? 0) + 1;
  }
}

/** @returns the position of the value of the key at `start` */
function enterMember(body: Uint8Array, counts: number[], frame: Frame, start: number): number {
  const end = endOfString(body, start + 1);
  const child = childAt(body, frame.branch.children, start, end);
  frame.child = child;
  if (child) {
    const before = frame.added?.get(child);
    const { below } = child.branch;
    for (const [i, number] of before?.entries() ?? [])
      counts[below[i] as number] = (counts[below[i] as number] ?? 0) - number;
    frame.before = below.map(number => counts[number] ?? 0);
  }
  // A colon is here.
  return skipSpace(body, skipSpace(body, end + 1) + 1);
}

function endOfChild(counts: readonly number[], frame: Frame, child: Child): void {
  frame.child = undefined;
  const isNew = child.branch.below.some((number, i) => counts[number] !== frame.before[i]);
  if (!isNew && !frame.added?.has(child)) return;
  frame.added ??= new Map();
  frame.added.set(
    child,
    child.branch.below.map((number, i) => (counts[number] ?? 0) - (frame.before[i] ?? 0)),
  );
}

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
