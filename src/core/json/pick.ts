/* Picks values out of JSON in one pass, for highlights. The JSON may be cut off or invalid; the recursion is as deep as the paths. */
import {
  backslash,
  closeList,
  closeObject,
  colon,
  comma,
  endOfByteOrderMark,
  endOfNumber,
  endOfString,
  isKey,
  letterU,
  openList,
  openObject,
  quote,
  skipSpace,
  skipValue,
} from './bytes.ts';

/** Paths by their steps. `slot`: the number of the path that ends here. */
export type PathTree = { slot: number | undefined; branches: { step: string; index: number; tree: PathTree }[] };

/** Longer texts are cut, longer numbers left out. */
const maxTextBytes = 1024;
const maxNumberBytes = 64;

/** @param paths of keys in ASCII and list indexes, such as `items.0.id`; each once */
export function createPathTree(paths: readonly string[]): PathTree {
  const root: PathTree = { slot: undefined, branches: [] };
  paths.forEach((path, slot) => {
    let here = root;
    for (const step of path.split('.')) {
      let branch = here.branches.find(one => one.step === step);
      if (!branch) {
        const index = /^\d{1,4}$/.test(step) ? Number(step) : -1;
        branch = { step, index, tree: { slot: undefined, branches: [] } };
        here.branches.push(branch);
      }
      here = branch.tree;
    }
    here.slot = slot;
  });
  return root;
}

type Search = { body: Uint8Array; found: (string | undefined)[]; missing: number };

/** The text or number at each of the `count` paths; undefined without one. Of repeated keys, the first with a value counts. */
export function pickJson(body: Uint8Array, tree: PathTree, count: number): (string | undefined)[] {
  const search: Search = { body, found: new Array<string | undefined>(count).fill(undefined), missing: count };
  searchContainer(search, skipSpace(body, endOfByteOrderMark(body)), tree);
  return search.found;
}

/** Searches the object or list at `from`. @returns the position after it; the end of the body if nothing is left to find */
function searchContainer(search: Search, from: number, { branches }: PathTree): number {
  const { body } = search;
  const isList = body[from] === openList;
  let at = skipSpace(body, from + 1);
  if (!isList && body[from] !== openObject) return body.length;
  for (let index = 0; at < body.length && search.missing > 0; index++) {
    if (body[at] === closeObject || body[at] === closeList) return at + 1;
    let wanted: PathTree | undefined;
    if (isList) {
      for (const branch of branches) if (branch.index === index) wanted = branch.tree;
    } else {
      if (body[at] !== quote) return body.length;
      const start = at + 1;
      const end = endOfString(body, start);
      for (const branch of branches) if (isKey(body, start, end, branch.step)) wanted = branch.tree;
      at = skipSpace(body, end + 1);
      if (body[at] !== colon) return body.length;
      at = skipSpace(body, at + 1);
    }
    at = skipSpace(body, wanted ? searchValue(search, at, wanted) : skipValue(body, at));
    if (body[at] === comma) at = skipSpace(body, at + 1);
  }
  return body.length;
}

/** @returns the position after the value at `at` */
function searchValue(search: Search, at: number, tree: PathTree): number {
  const { body } = search;
  const { slot } = tree;
  const first = body[at];
  if (tree.branches.length > 0 && (first === openObject || first === openList))
    return searchContainer(search, at, tree);
  const end = skipValue(body, at);
  if (slot === undefined || search.found[slot] !== undefined || end >= body.length) return end;
  const value = first === quote ? readText(body, at + 1, end - 1) : readNumber(body, at, end);
  if (value !== undefined) {
    search.found[slot] = value;
    search.missing -= 1;
  }
  return end;
}

function readNumber(body: Uint8Array, from: number, to: number): string | undefined {
  const end = endOfNumber(body, from);
  if (end < 0 || end - from > maxNumberBytes || end > to) return undefined;
  return Buffer.from(body.buffer, body.byteOffset + from, end - from).toString('latin1');
}

function readText(body: Uint8Array, from: number, to: number): string | undefined {
  let end = to;
  let isEscaped = false;
  for (let at = from; at < to; at++) {
    if (body[at] === backslash) {
      isEscaped = true;
      // A cut must not leave a part of an escape.
      const length = body[at + 1] === letterU ? 6 : 2;
      if (at + length - from > maxTextBytes) {
        end = at;
        break;
      }
      at += length - 1;
    } else if (at - from >= maxTextBytes) {
      end = at;
      break;
    }
  }
  // Nor may it leave a part of a character.
  while (end < to && end > from && ((body[end] ?? 0) & 0xc0) === 0x80) end--;
  const text = Buffer.from(body.buffer, body.byteOffset + from, end - from).toString('utf8');
  if (!isEscaped) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}
