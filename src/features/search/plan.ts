/*
 * Plans a search with a filter: which signatures a matching block must have, which range of times, which table has all
 * candidates, and what the columns of a row decide. Everything here may keep too many events, but never too few, because the
 * filter itself decides in the end.
 */
import { factOfSize, factsOfValue, noPaths, otherBodies } from '../../core/blocks/block-facts.ts';
import { type Gram, gramsOf, gramsOfPath } from '../../core/blocks/block-signature.ts';
import type { Narrowing, NarrowingItem } from '../../core/blocks/narrowing.ts';
import { foldCase } from '../../core/blocks/search-text.ts';
import { probesOfValue } from '../../core/blocks/value-filter.ts';
import {
  type Filter,
  isIn,
  type Node,
  type Term,
  termsOf,
  timeRangeAt,
  type Value,
} from '../../shared/filter/filter.ts';
import { narrowingOfText } from './text-narrowing.ts';

/** A condition on the columns of a row with three values: `unknown` if they do not decide. */
export type ColumnCondition =
  | { is: 'known'; value: boolean }
  | { is: 'unknown' }
  | { is: 'all' | 'any'; of: ColumnCondition[] }
  | { is: 'not'; of: ColumnCondition }
  | { is: 'equal'; column: 'type' | 'platform' | 'method'; text: string }
  | { is: 'begins' | 'has'; column: 'type' | 'platform' | 'method'; text: string }
  | { is: 'within'; column: 'size' | 'received' | 'answered'; min: number | undefined; max: number | undefined }
  | { is: 'tagged'; tag: string }
  | { is: 'pinned' }
  | { is: 'replayed' | 'edited' | 'refused' | 'redacted' };

/** A table that has every matching event. */
export type RequiredRows = { of: 'pins' } | { of: 'tags'; tag: string } | { of: 'replays' | 'outcomes' | 'redactions' };

export type Plan = {
  narrowing: Narrowing;
  /** undefined if no term is about the columns of the row. */
  columns: ColumnPlan | undefined;
  /** Whether the columns of rows decide every event. */
  isOfRows: boolean;
  required: RequiredRows | undefined;
  /** Times of receipt, from `from` until before `to`. */
  range: { from?: number | undefined; to?: number | undefined };
};
export type ColumnPlan = {
  condition: ColumnCondition;
  /** The columns and states of the terms. Rows must have them, because SQL does not decide every term. */
  needs: ReadonlySet<string>;
};

export function planOf({ root }: Filter, now: number): Plan {
  const terms = termsOf(root);
  const gramsPerTerm = Math.max(minGramsPerTerm, Math.min(maxGramsPerTerm, Math.floor(maxGrams / (terms.length || 1))));
  const condition = root ? conditionOf(root, now) : known(true);
  const required = requiredTerms(root);
  return {
    narrowing: root ? narrowingOf(root, gramsPerTerm) : [],
    columns: terms.some(isOfRow) ? { condition, needs: new Set(terms.flatMap(columnOrState)) } : undefined,
    isOfRows: terms.every(isOfRow),
    required: required.flatMap(rowsOf)[0],
    range: rangeOf(required, now),
  };
}

/** The most grams that a search tests for each signature. */
const maxGrams = 60;
const maxGramsPerTerm = 12;
const minGramsPerTerm = 2;
/** A term with facts, or with a whole value, needs few grams in addition. */
const gramsBesideFacts = 4;

/** The terms that every matching event meets. */
function requiredTerms(node: Node | undefined): Term[] {
  if (node?.kind === 'term') return [node];
  return node?.kind === 'and' ? node.nodes.flatMap(requiredTerms) : [];
}

/** The pieces of a value between its `*`. */
const piecesOf = ({ text, isQuoted }: Value): string[] => (isQuoted ? [text] : text.split('*'));
const isExact = ({ text, isQuoted }: Value): boolean => isQuoted || !text.includes('*');

function rowsOf(term: Term): RequiredRows[] {
  if (term.on !== 'column') return [];
  if (term.column === 'tag' && isExact(term.value)) return [{ of: 'tags', tag: term.value.text }];
  // Events without an outcome got the status 200.
  if (term.column === 'answered') return isIn(200, term.range) ? [] : [{ of: 'outcomes' }];
  if (term.column !== 'is') return [];
  if (term.state === 'pinned') return [{ of: 'pins' }];
  if (term.state === 'refused') return [{ of: 'outcomes' }];
  if (term.state === 'redacted') return [{ of: 'redactions' }];
  return term.state === 'replayed' || term.state === 'edited' ? [{ of: 'replays' }] : [];
}

function rangeOf(required: readonly Term[], now: number): Plan['range'] {
  const range: Plan['range'] = {};
  for (const term of required) {
    if (term.on !== 'column' || term.column !== 'received') continue;
    const { from, to } = timeRangeAt(term.range, now);
    if (from !== undefined) range.from = Math.max(from, range.from ?? from);
    if (to !== undefined) range.to = Math.min(to, range.to ?? to);
  }
  return range;
}

const known = (value: boolean): ColumnCondition => ({ is: 'known', value });
const unknown: ColumnCondition = { is: 'unknown' };

const columnOrState = (term: Term): string[] =>
  term.on === 'column' ? [term.column === 'is' ? term.state : term.column] : [];

/** Whether the row of an event decides the term, without its content. */
const isOfRow = (term: Term): boolean =>
  term.on === 'column' && term.column !== 'path' && term.column !== 'ip' && term.column !== 'verdict';

function conditionOf(node: Node, now: number): ColumnCondition {
  if (node.kind === 'not') return { is: 'not', of: conditionOf(node.node, now) };
  if (node.kind !== 'term')
    return { is: node.kind === 'and' ? 'all' : 'any', of: node.nodes.map(one => conditionOf(one, now)) };
  return columnOf(node, now);
}

function columnOf(term: Term, now: number): ColumnCondition {
  if (term.on !== 'column') return unknown;
  switch (term.column) {
    case 'type':
    case 'platform':
    case 'method':
      return textColumn(term.column, term.value);
    case 'size':
    case 'answered':
      return { is: 'within', column: term.column, ...term.range };
    case 'received': {
      const { from, to } = timeRangeAt(term.range, now);
      return { is: 'within', column: 'received', min: from, max: to === undefined ? undefined : to - 1 };
    }
    case 'tag':
      return isExact(term.value) ? { is: 'tagged', tag: term.value.text } : unknown;
    case 'is':
      return { is: term.state };
    default:
      return unknown;
  }
}

/** Only globs that cost little with any text. */
function textColumn(column: 'type' | 'platform' | 'method', value: Value): ColumnCondition {
  if (isExact(value)) return { is: 'equal', column, text: value.text };
  const [start = '', middle = '', ...more] = value.text.split('*');
  if (middle === '' && more.length === 0) return { is: 'begins', column, text: start };
  return start === '' && more.length === 1 && more[0] === '' ? { is: 'has', column, text: middle } : unknown;
}

function narrowingOf(node: Node, limit: number): Narrowing {
  // A signature describes what a block has, so it cannot show what a block lacks.
  if (node.kind === 'not') return [];
  if (node.kind === 'and') return node.nodes.flatMap(one => narrowingOf(one, limit));
  if (node.kind === 'term') return narrowingOfTerm(node, limit);
  const any = node.nodes.map(one => narrowingOf(one, limit));
  return any.some(one => one.length === 0) ? [] : [{ any }];
}

const gramsOfPieces = (pieces: readonly string[], limit: number): Gram[] =>
  pieces.flatMap(piece => gramsOf(foldCase(piece)).slice(0, limit)).slice(0, limit);

function narrowingOfTerm(term: Term, limit: number): Narrowing {
  if (term.on === 'text') return narrowingOfText(term.text, limit);
  if (term.on !== 'column') return term.field === 'body' ? narrowingOfField(term, limit) : [];
  switch (term.column) {
    case 'type':
      if (!isExact(term.value)) return gramsOfPieces(piecesOf(term.value), limit);
      return [
        ...factsOfValue('type', term.value.text),
        ...gramsOfPieces([term.value.text], Math.min(limit, gramsBesideFacts)),
      ];
    case 'platform':
    case 'method':
      return isExact(term.value) ? factsOfValue(term.column, term.value.text) : [];
    case 'size': {
      const { min, max } = term.range;
      return [
        ...(min === undefined ? [] : [factOfSize('atLeast', min)]),
        ...(max === undefined ? [] : [factOfSize('atMost', max)]),
      ];
    }
    case 'path':
      return unless(noPaths, pathGrams(term.value).slice(0, limit));
    default:
      return [];
  }
}

function pathGrams(value: Value): Gram[] {
  if (isExact(value)) return gramsOfPath(value.text, 'all');
  const [start = '', ...others] = value.text.split('*');
  return [...gramsOfPath(start, 'start'), ...others.flatMap(piece => gramsOfPath(piece, 'any'))];
}

/** Keys and text of a field are in the text of its body, unless signatures do not cover that body. */
function narrowingOfField(term: Exclude<Term, { on: 'column' } | { on: 'text' }>, limit: number): Narrowing {
  if (term.field !== 'body') return [];
  const { path, name } = term;
  // A key may be the position of an item of a list.
  const keys = path.flatMap(step =>
    'key' in step && !/^\d+$/.test(step.key) && name.includes(step.key) ? [step.key] : [],
  );
  // One number can be written in several ways.
  const literals = term.on === 'content' && term.number === undefined ? piecesOf(term.value) : [];
  const values =
    term.on === 'content' && term.operator === ':' && isExact(term.value) ? valueItems(term.value.text) : [];
  const pieces = [...literals.sort((a, b) => b.length - a.length), ...keys];
  // Text that could not be decoded is compared by its replacement.
  const grams = gramsOfPieces(
    pieces.flatMap(piece => piece.split('\ufffd')),
    values.length === 0 ? limit : Math.min(limit, gramsBesideFacts),
  );
  return unless(otherBodies, [...values, ...grams]);
}

function valueItems(text: string): Narrowing {
  const [only, ...others] = probesOfValue(text);
  return others.length === 0 ? (only ?? []) : [{ any: [only ?? [], ...others] }];
}

const unless = (fact: NarrowingItem, items: Narrowing): Narrowing =>
  items.length === 0 ? [] : [{ any: [[fact], items] }];
