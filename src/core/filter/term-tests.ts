/* What each term asks of an event. */
import { isInCidr, parseAddress } from '../../shared/addresses.ts';
import {
  type ColumnTerm,
  type ContentTerm,
  type HasTerm,
  type NumberRange,
  type State,
  type Term,
  type TextTerm,
  timeRangeAt,
} from '../../shared/filter/filter.ts';
import { lowerName } from '../headers.ts';
import { createMatcher } from '../search-text.ts';
import { type ContentTest, createContentTest } from './content-test.ts';
import type { EventFacts } from './evaluate.ts';
import type { EventContent } from './event-content.ts';
import { someParameter, somePart } from './form-fields.ts';
import { countMatches, createJsonPaths, type JsonPaths } from './json-fields.ts';
import { createTextMatch } from './text-match.ts';

/** Undefined: the facts do not decide. */
export type Test = (facts: Partial<EventFacts>, now: number) => boolean | undefined;

/** How much a test costs, compared with the others. */
export const costOf = (term: Term): number => {
  if (term.on === 'column') return 0;
  if (term.on === 'text') return 3;
  return term.field === 'body' ? 2 : 1;
};

/** A test for each term. Those about the body are decided together, in one pass over it. */
export function createTermTests(terms: readonly Term[]): Map<Term, Test> {
  const tests = new Map<Term, Test>();
  const ofBody = terms.filter(isOfBody);
  const found = createBodyTests(ofBody);
  for (const term of terms) {
    if (term.on === 'column') tests.set(term, columnTest(term));
    else if (term.on === 'text') tests.set(term, textTest(term));
    else if (term.field !== 'body') tests.set(term, namedTest(term));
  }
  for (const [number, term] of ofBody.entries())
    tests.set(term, ({ content }) => content && found(content)[number] === true);
  return tests;
}

type OfBody = (ContentTerm | HasTerm) & { field: 'body' };
const isOfBody = (term: Term): term is Term & OfBody =>
  (term.on === 'content' || term.on === 'has') && term.field === 'body';

function createBodyTests(terms: readonly OfBody[]): (content: EventContent) => readonly boolean[] {
  const tests = terms.map(createContentTest);
  const paths = createJsonPaths(terms.map(({ path }, number) => ({ path, test: tests[number] as ContentTest })));
  // Weak, so that a filter does not keep the last event in memory.
  const known = new WeakMap<EventContent, readonly boolean[]>();
  return content => {
    let results = known.get(content);
    if (!results) {
      results = bodyResults(content, terms, tests, paths);
      known.set(content, results);
    }
    return results;
  };
}

function bodyResults(
  content: EventContent,
  terms: readonly OfBody[],
  tests: readonly ContentTest[],
  paths: JsonPaths,
): boolean[] {
  const fields = content.bodyFields();
  if (fields.kind === 'none') return [];
  if (fields.kind === 'json') return countMatches(content.body, paths).map(count => count > 0);
  return terms.map(({ name }, number) => {
    const test = tests[number] as ContentTest;
    // The fields of a list are called `items` or `items[]`, and come repeatedly.
    return [name, name.replace(/\[\]$/, '')].some(
      (one, i, all) =>
        one !== all[i - 1] &&
        (fields.kind === 'form' ? someParameter(fields.text, one, test) : somePart(fields.parts, one, test)),
    );
  });
}

function namedTest(term: (ContentTerm | HasTerm) & { field: 'header' | 'query' }): Test {
  const test = createContentTest(term);
  const { key } = term;
  if (term.field === 'query') return ({ content }) => content && someParameter(content.query, key, test);
  return ({ content }) => content?.headers.some(([name, value]) => lowerName(name) === key && test.matchesText(value));
}

/** What `q` finds: a piece of the type or of the payload. */
function textTest({ text }: TextTerm): Test {
  const matcher = createMatcher(text);
  const nothing = new Uint8Array(0);
  const matches = (type: string | null, body: Uint8Array): boolean => {
    const search = matcher(type, body);
    for (let step = search.next(); ; step = search.next()) if (step.done) return step.value;
  };
  return ({ type, content }) => {
    if (content === undefined) return type === undefined ? undefined : matches(type, nothing) || undefined;
    return matches(type ?? null, content.body) || (type === undefined ? undefined : false);
  };
}

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
      return ({ size }) => isIn(size, term.range);
    case 'attempt':
      return ({ attempt }) => isIn(attempt, term.range);
    case 'answered':
      return ({ answered }) => isIn(answered, term.range);
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
} as const satisfies Record<State, keyof EventFacts>;

const isIn = (
  value: number | null | undefined,
  { min = -Infinity, max = Infinity }: NumberRange,
): boolean | undefined => (value === undefined ? undefined : value !== null && min <= value && value <= max);

function textColumnTest(
  column: 'type' | 'platform' | 'method' | 'path' | 'tag',
  matches: (text: string) => boolean,
): Test {
  if (column === 'tag') return ({ tags }) => tags?.some(matches);
  const isMatch = (text: string | null | undefined): boolean | undefined =>
    text === undefined ? undefined : text !== null && matches(text);
  if (column === 'type') return ({ type }) => isMatch(type);
  if (column === 'path') return ({ path }) => isMatch(path);
  if (column === 'platform') return ({ platform }) => isMatch(platform?.toLowerCase() ?? platform);
  return ({ method }) => isMatch(method?.toUpperCase() ?? method);
}
