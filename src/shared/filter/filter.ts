/* The filter language `where` as data. Positions count characters (Unicode code points) from 0. */
import type { Cidr } from '../addresses.ts';
import type { Decimal } from './decimal.ts';

/** Characters `start` up to, not including, `end`. */
export type Span = { readonly start: number; readonly end: number };

export type Operator = ':' | '>' | '>=' | '<' | '<=';

/** Unquoted: `*` matches any characters. Quoted: exact, with escapes already resolved. */
export type Value = { readonly text: string; readonly isQuoted: boolean };

export const verdicts = ['valid', 'invalid', 'unchecked', 'none'] as const;
export type Verdict = (typeof verdicts)[number];

export const states = ['pinned', 'replayed', 'edited', 'refused', 'redacted'] as const;
export type State = (typeof states)[number];

/** Integers from `min` to `max`, both included; undefined means no bound. The range is empty if `min` is above `max`. */
export type NumberRange = { readonly min: number | undefined; readonly max: number | undefined };

/** An instant in epoch ms, or a number of ms before the time of evaluation. */
export type Moment = { readonly at: number } | { readonly ago: number };

/** From `from` up to, not including, `to`; undefined means no bound. */
export type TimeRange = { readonly from: Moment | undefined; readonly to: Moment | undefined };

export type ColumnTerm = { readonly on: 'column'; readonly operator: Operator; readonly value: Value } & (
  | /** Platforms are in lower case, methods in upper case: both ignore case. */
  { readonly column: 'type' | 'platform' | 'method' | 'path' | 'tag' }
  | { readonly column: 'verdict'; readonly verdict: Verdict }
  | { readonly column: 'is'; readonly state: State }
  | { readonly column: 'ip'; readonly network: Cidr }
  | { readonly column: 'size' | 'attempt' | 'answered'; readonly range: NumberRange }
  | { readonly column: 'received'; readonly range: TimeRange }
);
export type ColumnName = ColumnTerm['column'];

/** A key of an object (in a list: an index), or any item of a list. */
export type Step = { readonly key: string } | { readonly anyItem: true };

/** A place in an event's content. */
export type ContentField =
  | /** In lower case. */
  { readonly field: 'header'; readonly key: string }
  | {
      readonly field: 'query';
      readonly key: string;
    } /** `name`: the path as it was written, which is the name of the field in a form. */
  | { readonly field: 'body'; readonly path: readonly Step[]; readonly name: string };

/** `number`: the value as a number; always set for a comparison, undefined for a text. */
export type ContentTerm = {
  readonly on: 'content';
  readonly operator: Operator;
  readonly value: Value;
  readonly number: Decimal | undefined;
} & ContentField;

/** Whether a field exists, even with the value null. */
export type HasTerm = { readonly on: 'has' } & ContentField;

/** A bare word or a phrase, with the meaning of `q`. */
export type TextTerm = { readonly on: 'text'; readonly text: string };

export type Term = Span & { readonly kind: 'term' } & (ColumnTerm | ContentTerm | HasTerm | TextTerm);

export type Node =
  | Term
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not'; readonly node: Node };

export type Filter = {
  readonly text: string;
  /** Undefined for an empty text, which matches every event. */
  readonly root: Node | undefined;
  /** The parts that must all match, each with its `-`, `NOT` and parentheses; a single one with `OR` at the top. */
  readonly parts: readonly Span[];
};

/** Thrown for an invalid filter. `message` says how to correct it. */
export class FilterError extends Error {
  override name = 'FilterError';
  /** The place of the problem in the text. */
  readonly position: number;
  /** The field that a misspelt one was probably meant to be. */
  readonly nearest: string | null;

  constructor(message: string, position: number, nearest: string | null = null) {
    super(message);
    this.position = position;
    this.nearest = nearest;
  }
}

/** The filter for events that also contain a text, with the meaning of `q`. An empty text changes nothing. */
export function withText(filter: Filter, q: string): Filter {
  if (q === '') return filter;
  const term: Node = { kind: 'term', on: 'text', text: q, start: 0, end: 0 };
  return { ...filter, root: filter.root ? { kind: 'and', nodes: [term, filter.root] } : term };
}

export const isIn = (value: number, { min = -Infinity, max = Infinity }: NumberRange): boolean =>
  min <= value && value <= max;

/** The characters of a span. For a term, this is its text in the API. */
export const textOf = ({ text }: Pick<Filter, 'text'>, { start, end }: Span): string =>
  [...text].slice(start, end).join('');

/** All terms, in the order of the text. */
export function termsOf(node: Node | undefined): Term[] {
  if (node === undefined) return [];
  if (node.kind === 'term') return [node];
  return node.kind === 'not' ? termsOf(node.node) : node.nodes.flatMap(termsOf);
}

export const timeRangeAt = (
  { from, to }: TimeRange,
  now: number,
): { from: number | undefined; to: number | undefined } => ({
  from: from && instant(from, now),
  to: to && instant(to, now),
});

const instant = (moment: Moment, now: number): number => ('at' in moment ? moment.at : now - moment.ago);
