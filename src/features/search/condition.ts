/*
 * The condition of a search, in the three forms in which it is checked: bits of signatures, columns of rows, and the event
 * itself. Each form decides only what it can: signatures exclude blocks, columns decide or leave it open, and contents and
 * verdicts decide the rest.
 */

import type { Narrowing } from '../../core/blocks/narrowing.ts';
import { createMatcher } from '../../core/blocks/search-text.ts';
import { advance, type YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { evaluate, evaluateInSteps } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import { createPrefilter, type Prefilter } from '../../core/filter/prefilter.ts';
import type { HeaderPair } from '../../core/headers.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { type Filter, type Verdict, withText } from '../../shared/filter/filter.ts';
import { type Plan, planOf } from './plan.ts';
import { narrowingOfText } from './text-narrowing.ts';

/** The columns of an event. `decided`: undefined when the columns that SQL checks leave it open. */
export type EventRow = Position & {
  eventType: string | null;
  platform: string | null;
  method: string;
  size: number;
  verdict: string | null;
  decided: boolean | undefined;
  /** The following fields are empty, false or null if no term needs them. */
  tags: readonly string[];
  isPinned: boolean;
  isReplayed: boolean;
  isEdited: boolean;
  /** The status of the response to the sender; null without one. */
  answered: number | null;
  isRefused: boolean;
  isRedacted: boolean;
  /** Which attempt of its delivery it is; undefined if no term needs it, or until it is looked up. */
  attempt?: number | undefined;
};

/** The content of an event. `headers`: the pairs as JSON. */
export type RowContent = {
  path: Buffer;
  query: Buffer | null;
  sourceIp: string;
  headers: Uint8Array;
  body: Uint8Array;
};

/** The fields from which a verdict is computed. */
export type EventToVerify = Pick<EventRow, 'method' | 'platform' | 'receivedAt' | 'verdict'> &
  Pick<RowContent, 'path' | 'query' | 'body'> & { headers: readonly HeaderPair[] };
export type ReadVerdict = (event: EventToVerify) => Promise<Verdict>;

export type Condition = Pick<Plan, 'columns' | 'isOfRows' | 'required' | 'range'> & {
  narrowing: Narrowing;
  /** Whether it is only a text, so that every block is unpacked. */
  isText: boolean;
  /** Excludes events of small blocks by their bytes. Undefined if bytes exclude no event. */
  prefilter: Prefilter | undefined;
  /** Whether the content alone excludes the event. Undefined if it never does. */
  excludes: ((content: RowContent, yieldIfDue: YieldIfDue) => Promise<boolean>) | undefined;
  /** Whether the columns of the row decide. */
  decide: (row: EventRow) => boolean | undefined;
  /** @param content undefined when it is damaged */
  matches: (row: EventRow, content: RowContent | undefined, yieldIfDue: YieldIfDue) => Promise<boolean>;
};

const nothing = new Uint8Array(0);

/** Events whose type or payload contains `q`. @param indexed false: signatures are not used */
export function textCondition(q: string, indexed: boolean): Condition {
  const matcher = createMatcher(q);
  return {
    narrowing: indexed ? narrowingOfText(q) : [],
    isText: true,
    columns: undefined,
    isOfRows: false,
    required: undefined,
    range: {},
    prefilter: undefined,
    excludes: undefined,
    decide: () => undefined,
    // A search still finds the type of a damaged event.
    matches: ({ eventType }, content, yieldIfDue) => advance(matcher(eventType, content?.body ?? nothing), yieldIfDue),
  };
}

export type FilterOptions = {
  q: string;
  now: number;
  indexed: boolean;
  readVerdict: ReadVerdict;
  /** Whether a damaged event matches when its columns leave that open. */
  undecided?: boolean;
};

/** Events that match a filter and, unless it is empty, contain `q`. */
export function filterCondition(
  given: Filter,
  { q, now, indexed, readVerdict, undecided = false }: FilterOptions,
): Condition {
  const filter = withText(given, q);
  const { narrowing, ...plan } = planOf(filter, now);

  const decide = (row: EventRow): boolean | undefined => row.decided ?? evaluate(filter, columnFacts(row), now);

  return {
    ...plan,
    narrowing: indexed ? narrowing : [],
    isText: false,
    prefilter: createPrefilter(filter),
    async excludes(content, yieldIfDue) {
      return (await advance(evaluateInSteps(filter, contentFacts(content), now), yieldIfDue)) === false;
    },
    decide,
    async matches(row, content, yieldIfDue) {
      if (!content) return decide(row) ?? undecided;
      const { facts, toVerify } = knownFacts(row, content);
      // In steps, because this thread responds to deliveries.
      const decided = await advance(evaluateInSteps(filter, facts, now), yieldIfDue);
      if (decided !== undefined) return decided;
      const verdict = await readVerdict(toVerify());
      return evaluate(filter, { ...facts, verdict }, now) ?? false;
    },
  };
}

export const columnFacts = (row: EventRow) => ({
  type: row.eventType,
  platform: row.platform,
  method: row.method,
  receivedAt: row.receivedAt,
  size: row.size,
  tags: row.tags,
  isPinned: row.isPinned,
  isReplayed: row.isReplayed,
  isEdited: row.isEdited,
  answered: row.answered,
  isRefused: row.isRefused,
  isRedacted: row.isRedacted,
  ...(row.attempt !== undefined && { attempt: row.attempt }),
});

const headersOf = ({ headers }: RowContent): HeaderPair[] =>
  JSON.parse(Buffer.from(headers).toString()) as HeaderPair[];

type ContentFacts = Pick<EventFacts, 'path' | 'sourceIp' | 'content'>;
const knownContents = new WeakMap<RowContent, ContentFacts>();

/** Keeps the facts of each object, so that its body is read only once. */
function contentFacts(given: RowContent): ContentFacts {
  const known = knownContents.get(given);
  if (known) return known;
  const { path, query, sourceIp, body } = given;
  const content = createEventContent({ headers: () => headersOf(given), query, body });
  const facts = { path: path.toString('latin1'), sourceIp, content };
  knownContents.set(given, facts);
  return facts;
}

/** Everything that a filter can ask about an event but its verdict, and what the verdict is computed from. */
export function knownFacts(row: EventRow, content: RowContent) {
  const facts = { ...columnFacts(row), ...contentFacts(content) };
  const toVerify = (): EventToVerify => {
    const { method, platform, receivedAt, verdict } = row;
    const { path, query, body } = content;
    return { method, platform, receivedAt, verdict, path, query, headers: facts.content.headers, body };
  };
  return { facts, toVerify };
}

/** Everything that a filter can ask about an event. A damaged one has no content. */
export async function allFacts(
  row: EventRow & { attempt: number },
  given: RowContent | undefined,
  readVerdict: ReadVerdict,
): Promise<EventFacts> {
  const content = given ?? { path: Buffer.of(), query: null, sourceIp: '', headers: Buffer.from('[]'), body: nothing };
  const { facts, toVerify } = knownFacts(row, content);
  return { ...facts, attempt: row.attempt, verdict: await readVerdict(toVerify()) };
}
