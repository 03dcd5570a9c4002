/* The test of each term of a filter. */
import { isInCidr, parseAddress } from '../../shared/addresses.ts';
import {
  type ColumnTerm,
  type ContentTerm,
  type HasTerm,
  isIn,
  type NumberRange,
  type State,
  type Term,
  timeRangeAt,
} from '../../shared/filter/filter.ts';
import { createMatcher, type Matcher } from '../blocks/search-text.ts';
import { lowerName } from '../headers.ts';
import { createContentTest, createTextMatch } from './content-test.ts';
import type { EventContent } from './event-content.ts';
import type { EventFacts } from './event-facts.ts';
import { findParameter, someParameter, somePart } from './form-fields.ts';
import { countMatches, createJsonPaths } from './json-fields.ts';
import { result, stepBytes } from './steps.ts';

/** Returns undefined if the facts do not decide. */
export type Test = (facts: Partial<EventFacts>, now: number) => boolean | undefined;

/** The cost of a test, relative to the others. */
export const costOf = (term: Term): number => {
  if (term.on === 'column') return 0;
  if (term.on === 'text') return 3;
  return term.field === 'body' ? 2 : 1;
};

const minStepBytes = 1024;

export type TermTests = {
  /** One pass over the body decides all tests about it. */
  readonly tests: ReadonlyMap<Term, Test>;
  readonly readings: number;
  /** Reads a large body in steps, so that the tests then take no time. */
  readonly prepare: (content: EventContent) => Generator<undefined, void>;
};

export function createTermTests(terms: readonly Term[]): TermTests {
  const tests = new Map<Term, Test>();
  const ofBody = terms.filter(isOfBody);
  // Many terms take long for a piece of a body.
  const bodyStep = ofBody.length < 2 ? stepBytes : Math.max(minStepBytes, Math.floor(stepBytes / (4 * ofBody.length)));
  const readBody = inSteps(createBodyReader(ofBody), bodyStep);
  const prepared: ((content: EventContent) => Generator<undefined, unknown>)[] =
    ofBody.length > 0 ? [readBody.read] : [];
  for (const [number, term] of ofBody.entries())
    tests.set(term, ({ content }) => content && readBody.get(content)[number] === true);
  for (const term of terms) {
    if (term.on === 'column') tests.set(term, columnTest(term));
    else if (term.on === 'text') {
      const matcher = createMatcher(term.text);
      const readText = inSteps(({ body }) => matcher(null, body));
      prepared.push(readText.read);
      tests.set(term, textTest(matcher, readText.get));
    } else if (term.field !== 'body') tests.set(term, namedTest(term));
  }
  return {
    tests,
    readings: ofBody.length + terms.filter(({ on }) => on === 'text').length,
    *prepare(content) {
      for (const read of prepared) yield* read(content);
    },
  };
}

/** A value that is read once for each event. The references are weak, so that a filter keeps no event in memory. */
function inSteps<T>(read: (content: EventContent, stepBytes: number) => Generator<unknown, T>, usualStep = stepBytes) {
  const known = new WeakMap<EventContent, { value: T }>();
  function* readInSteps(content: EventContent, step = usualStep): Generator<undefined, { value: T }> {
    let found = known.get(content);
    if (!found) {
      const steps = read(content, step);
      let next = steps.next();
      for (; !next.done; next = steps.next()) yield;
      found = { value: next.value };
      known.set(content, found);
    }
    return found;
  }
  return {
    read: readInSteps,
    get: (content: EventContent): T => (known.get(content) ?? result(readInSteps(content, Infinity))).value,
  };
}

type OfBody = (ContentTerm | HasTerm) & { field: 'body' };
const isOfBody = (term: Term): term is Term & OfBody =>
  (term.on === 'content' || term.on === 'has') && term.field === 'body';

function createBodyReader(terms: readonly OfBody[]) {
  const tests = terms.map(term => ({ ...term, test: createContentTest(term) }));
  const paths = createJsonPaths(tests);
  return function* (content: EventContent, stepBytes: number): Generator<undefined, boolean[]> {
    const fields = yield* content.bodyFields(stepBytes);
    if (fields.kind === 'none') return [];
    if (fields.kind === 'json') return (yield* countMatches(content.body, paths, stepBytes)).map(count => count > 0);
    const results: boolean[] = [];
    for (const { name, test } of tests) {
      let isMatch = false;
      // The fields of a list are called `items` or `items[]`, and come repeatedly.
      for (const one of new Set([name, name.replace(/\[\]$/, '')]))
        isMatch ||=
          fields.kind === 'form'
            ? yield* findParameter(fields.text, one, test, stepBytes)
            : somePart(fields.parts, one, test);
      results.push(isMatch);
    }
    return results;
  };
}

function namedTest(term: (ContentTerm | HasTerm) & { field: 'header' | 'query' }): Test {
  const test = createContentTest(term);
  const { key } = term;
  if (term.field === 'query') return ({ content }) => content && someParameter(content.query, key, test);
  return ({ content }) => content?.headers.some(([name, value]) => lowerName(name) === key && test.matchesText(value));
}

/** The test of `q`: whether it is a part of the type or of the payload. */
function textTest(matcher: Matcher, isInBody: (content: EventContent) => boolean): Test {
  const isInType = (type: string | null | undefined): boolean =>
    typeof type === 'string' && matcher(type, nothing).next().value === true;
  return ({ type, content }) => {
    if (isInType(type) || (content && isInBody(content))) return true;
    return type === undefined || content === undefined ? undefined : false;
  };
}

const nothing = new Uint8Array(0);

function columnTest(term: ColumnTerm): Test {
  switch (term.column) {
    case 'verdict':
      return ({ verdict }) => verdict && verdict === term.verdict;
    case 'is':
      return facts => facts[stateFacts[term.state]];
    case 'ip':
      return ({ sourceIp }) => {
        const address = sourceIp === undefined ? undefined : parseAddress(sourceIp);
        return sourceIp === undefined ? undefined : address !== undefined && isInCidr(address, term.network);
      };
    case 'size':
    case 'attempt':
    case 'answered':
      return facts => isInRange(facts[term.column], term.range);
    case 'received':
      return ({ receivedAt }, now) => {
        const { from = -Infinity, to = Infinity } = timeRangeAt(term.range, now);
        return receivedAt === undefined ? undefined : from <= receivedAt && receivedAt < to;
      };
    default:
      return textColumnTest(term.column, createTextMatch(term.value));
  }
}

const stateFacts = {
  pinned: 'isPinned',
  replayed: 'isReplayed',
  edited: 'isEdited',
  refused: 'isRefused',
  redacted: 'isRedacted',
} as const satisfies Record<State, keyof EventFacts>;

const isInRange = (value: number | null | undefined, range: NumberRange): boolean | undefined =>
  value === undefined ? undefined : value !== null && isIn(value, range);

function textColumnTest(
  column: 'type' | 'platform' | 'method' | 'path' | 'tag',
  matches: (text: string) => boolean,
): Test {
  if (column === 'tag') return ({ tags }) => tags?.some(matches);
  const isMatch = (text: string | null | undefined): boolean | undefined =>
    text === undefined ? undefined : text !== null && matches(text);
  if (column === 'platform') return ({ platform }) => isMatch(platform?.toLowerCase() ?? platform);
  if (column === 'method') return ({ method }) => isMatch(method?.toUpperCase() ?? method);
  return facts => isMatch(facts[column]);
}
