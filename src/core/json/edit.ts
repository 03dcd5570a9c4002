/* Replaces and removes values of valid JSON as bytes: others stay. Of repeated keys the last counts; `unset` removes all. */
import {
  backslash,
  closeList,
  closeObject,
  comma,
  endOfByteOrderMark,
  endOfString,
  endOfValue,
  openList,
  openObject,
  skipSpace,
} from './bytes.ts';

export type JsonPath = readonly string[];

/** `set`: JSON text for each path. */
export type JsonChanges = { set: readonly (readonly [path: JsonPath, json: string])[]; unset: readonly JsonPath[] };

export class JsonPathError extends Error {
  readonly path: JsonPath;

  constructor(path: JsonPath, problem: 'missing' | 'overlapping') {
    super(problem);
    this.path = path;
  }
}

/** Positions of bytes; `end` is after the last. */
type Span = { start: number; end: number };
/** `start`: where the key, or the item of a list, begins. */
type Member = { start: number; value: Span };
type Splice = Span & { path: JsonPath; text: string };

/** @throws JsonPathError */
export function editJson(body: Uint8Array, { set, unset }: JsonChanges): Buffer {
  const splices: Splice[] = set.map(([path, text]) => ({ ...valueAt(body, path), path, text }));
  for (const paths of Map.groupBy(unset, path => JSON.stringify(path.slice(0, -1))).values())
    splices.push(...removals(body, paths));
  splices.sort((a, b) => a.start - b.start || a.end - b.end);
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, path, text } of splices) {
    if (start < at) throw new JsonPathError(path, 'overlapping');
    pieces.push(body.subarray(at, start), Buffer.from(text, 'utf8'));
    at = end;
  }
  return Buffer.concat([...pieces, body.subarray(at)]);
}

function valueAt(body: Uint8Array, path: JsonPath): Span {
  const start = skipSpace(body, endOfByteOrderMark(body));
  let here: Span = { start, end: endOfValue(body, start) };
  for (const step of path) {
    let found: Member | undefined;
    for (const member of membersOf(body, here.start, step)) found = member.isNamed ? member : found;
    if (found === undefined) throw new JsonPathError(path, 'missing');
    here = found.value;
  }
  return here;
}

/** The ranges to cut out in order to remove the members at `paths`, which have one parent, each with one comma. */
function removals(body: Uint8Array, paths: readonly JsonPath[]): Splice[] {
  const [first = []] = paths;
  const parent = valueAt(body, first.slice(0, -1));
  const doomed = new Map<number, { member: Member; path: JsonPath }>();
  for (const path of paths) {
    const before = doomed.size;
    for (const member of membersOf(body, parent.start, path.at(-1) ?? '')) {
      if (!member.isNamed) continue;
      if (doomed.has(member.start)) throw new JsonPathError(path, 'overlapping');
      doomed.set(member.start, { member, path });
    }
    if (doomed.size === before) throw new JsonPathError(path, 'missing');
  }
  const splices: Splice[] = [];
  let run: { start: number; after: number | undefined; path: JsonPath } | undefined;
  let previousEnd: number | undefined;
  for (const { start, value } of membersOf(body, parent.start, '')) {
    const one = doomed.get(start);
    if (one) run ??= { start, after: previousEnd, path: one.path };
    else if (run) {
      splices.push({ start: run.start, end: start, path: run.path, text: '' });
      run = undefined;
    }
    previousEnd = value.end;
  }
  if (run && previousEnd !== undefined)
    splices.push({ start: run.after ?? run.start, end: previousEnd, path: run.path, text: '' });
  return splices;
}

/** The members of the object or list at `open`; a scalar has none. `isNamed`: the member's key or index is `step`. */
function* membersOf(body: Uint8Array, open: number, step: string): Generator<Member & { isNamed: boolean }> {
  const isList = body[open] === openList;
  if (!isList && body[open] !== openObject) return;
  const key = Buffer.from(step, 'utf8');
  const index = /^(?:0|[1-9]\d{0,9})$/.test(step) ? Number(step) : -1;
  let at = skipSpace(body, open + 1);
  for (let count = 0; at < body.length && body[at] !== closeObject && body[at] !== closeList; count++) {
    const start = at;
    let isNamed = count === index;
    if (!isList) {
      const end = endOfString(body, at + 1);
      isNamed = isSameKey(body.subarray(at + 1, end), key, step);
      // The colon.
      at = skipSpace(body, skipSpace(body, end + 1) + 1);
    }
    const value = { start: at, end: endOfValue(body, at) };
    yield { start, value, isNamed };
    at = skipSpace(body, value.end);
    if (body[at] === comma) at = skipSpace(body, at + 1);
  }
}

function isSameKey(written: Uint8Array, key: Buffer, step: string): boolean {
  if (!written.includes(backslash)) return key.equals(written);
  try {
    return JSON.parse(`"${Buffer.from(written).toString('utf8')}"`) === step;
  } catch {
    return false;
  }
}
