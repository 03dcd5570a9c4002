/*
 * The differences between two responses to the same request, for replay jobs: status, chosen headers, and the body, JSON by path.
 * The duration is not compared. Numbers are compared as they are written, so that digits beyond 2^53 count.
 */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { decodeUtf8Leniently } from '../../core/text.ts';

export type ComparedAnswer = {
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
};

/** `left`, `right`: JSON values; absent on one side: null, and `missing` names that side. */
export type Difference = { path: string; left: unknown; right: unknown; missing?: 'left' | 'right' };

/** The most differences for one event. A longer report would not help. */
export const maxDifferences = 100;
const maxTextCharacters = 1000;
const maxContentBytes = 1 << 20;

type Decompress = (body: Uint8Array, limits: { maxOutputLength: number }) => Uint8Array;
const decompressions: Record<string, Decompress | undefined> = Object.assign(Object.create(null), {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
} satisfies Record<string, Decompress>);

/** A number in JSON whose digits a double cannot hold, kept as it is written. */
class ExactNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
  toJSON(): string {
    return this.source;
  }
}

/**
 * @param ignore paths such as `status`, `header.x`, `body.a.b`; paths below an ignored path are ignored too, and `[]` matches
 * every item of a list
 * @param headerNames the headers to compare, case-insensitive
 */
export function compareAnswers(
  left: ComparedAnswer,
  right: ComparedAnswer,
  { ignore, headerNames }: { ignore: readonly string[]; headerNames: readonly string[] },
): Difference[] {
  const isIgnored = ignoredTest(ignore);
  const found: Difference[] = [];
  const add = (difference: Difference): void => {
    if (found.length < maxDifferences && !isIgnored(difference.path)) found.push(difference);
  };
  if (left.status !== right.status) add({ path: 'status', left: left.status, right: right.status });
  for (const name of new Set(headerNames.map(one => one.toLowerCase()))) {
    const [one, other] = [headerOf(left, name), headerOf(right, name)];
    if (one !== other) add(withMissing(`header.${name}`, one, other));
  }
  if (Buffer.compare(left.body, right.body) !== 0) compareBodies(contentOf(left), contentOf(right), add, isIgnored);
  return found;
}

/**
 * The body without compression, which some destinations use although the request does not allow it. A damaged or very large body
 * is returned as it is.
 */
function contentOf(answer: ComparedAnswer): Uint8Array {
  const decompress = decompressions[headerOf(answer, 'content-encoding')?.trim().toLowerCase() ?? ''];
  try {
    return decompress ? decompress(answer.body, { maxOutputLength: maxContentBytes }) : answer.body;
  } catch {
    return answer.body;
  }
}

function compareBodies(
  left: Uint8Array,
  right: Uint8Array,
  add: (difference: Difference) => void,
  isIgnored: (path: string) => boolean,
): void {
  if (Buffer.compare(left, right) === 0) return;
  const [one, other] = [parse(left), parse(right)];
  if (one && other) compareValues('body', one.value, other.value, add, isIgnored);
  else add({ path: 'body', left: textOf(left), right: textOf(right) });
}

function compareValues(
  root: string,
  left: unknown,
  right: unknown,
  add: (difference: Difference) => void,
  isIgnored: (path: string) => boolean,
): void {
  // A stack, because bodies may be nested deeply. The order of the report is the order of the document.
  const work: [path: string, left: unknown, right: unknown][] = [[root, left, right]];
  for (let next = work.pop(); next; next = work.pop()) {
    const [path, one, other] = next;
    if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
      if (!isSame(one, other)) add(withMissing(path, one, other));
      continue;
    }
    if (isIgnored(path)) continue;
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    for (const key of keys.reverse()) work.push([`${path}.${key}`, memberOf(one, key), memberOf(other, key)]);
  }
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

const memberOf = (container: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(container, key) ? container[key] : undefined;

const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (isContainer(one) && isContainer(other) && Object.keys(one).length + Object.keys(other).length === 0
    ? Array.isArray(one) === Array.isArray(other)
    : one instanceof ExactNumber && other instanceof ExactNumber && one.source === other.source);

const withMissing = (path: string, left: unknown, right: unknown): Difference => ({
  path,
  left: left === undefined ? null : left,
  right: right === undefined ? null : right,
  ...(left === undefined && { missing: 'left' as const }),
  ...(right === undefined && { missing: 'right' as const }),
});

function parse(body: Uint8Array): { value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { value: JSON.parse(text, exactly as (key: string, value: unknown) => unknown) };
  } catch {
    return undefined;
  }
}

function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value : new ExactNumber(source);
}

const textOf = (body: Uint8Array): string => decodeUtf8Leniently(body).slice(0, maxTextCharacters);

const headerOf = ({ headers }: ComparedAnswer, name: string): string | undefined => {
  const values = headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
};

/** Ignored paths by their parts; `isEnd`: an ignored path ends here. */
type IgnoredParts = { isEnd: boolean; next: Map<string, IgnoredParts> };
const anyItem = '[]';

/**
 * Whether a path is ignored or below an ignored one. A body has thousands of paths, so the time for each depends only on its
 * length, not on the number of ignored paths.
 */
function ignoredTest(ignore: readonly string[]): (path: string) => boolean {
  const root: IgnoredParts = { isEnd: false, next: new Map() };
  for (const given of ignore) {
    let at = root;
    const path = given.replace(/^header\..*$/, name => name.toLowerCase());
    for (const part of path.replaceAll(anyItem, `.${anyItem}`).split('.')) {
      const next = at.next.get(part) ?? { isEnd: false, next: new Map() };
      at.next.set(part, next);
      at = next;
    }
    at.isEnd = true;
  }
  if (ignore.length === 0) return () => false;
  return path => {
    let reached = [root];
    // It reads the path only as far as ignored paths match, because deeply nested bodies have long paths.
    for (let start = 0; reached.length > 0 && start <= path.length; ) {
      const dot = path.indexOf('.', start);
      const part = path.slice(start, dot < 0 ? path.length : dot);
      const asItem = /^\d+$/.test(part) ? [part, anyItem] : [part];
      reached = reached.flatMap(({ next }) => asItem.flatMap(one => next.get(one) ?? []));
      if (reached.some(({ isEnd }) => isEnd)) return true;
      start += part.length + 1;
    }
    return false;
  };
}
