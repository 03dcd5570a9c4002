/* The texts that a filter looks for, which are marked in the rows of the list and in the open event. */

import { FilterError, type Node, type Term, textOf } from '../../../shared/filter/filter.ts';
import { parse } from '../filter/filter-text.ts';

const maxTerms = 20;
const none: readonly string[] = [];
let last: { where: string; terms: readonly string[] } = { where: '', terms: none };

/** The words and phrases of a filter, and the texts of its `body.` and `header.` terms. The same array for the same filter. */
export function searchTermsOf(where: string): readonly string[] {
  if (where !== last.where) last = { where, terms: readTerms(where) };
  return last.terms;
}

/** What events must contain; whether the filter has only these words; whether contents are searched, so that rows say where they match. */
export function searchOf(where: string) {
  const filter = parse(where);
  if (filter instanceof FilterError || !filter.root) return { words: none, isOnlyWords: false, looksInside: false };
  const { root } = filter;
  const wanted = wantedTerms(root);
  const words = wanted.flatMap(term => (term.on === 'text' && term.text.trim() !== '' ? [term.text] : []));
  const parts = root.kind === 'and' ? root.nodes : [root];
  return {
    words: [...new Set(words)].slice(0, maxTerms),
    isOnlyWords: parts.every(part => part.kind === 'term' && part.on === 'text'),
    looksInside: wanted.some(({ on }) => on !== 'column'),
  };
}

export type Search = ReturnType<typeof searchOf>;

function readTerms(where: string): readonly string[] {
  const filter = parse(where);
  if (filter instanceof FilterError || !filter.root) return none;
  const texts = wantedTerms(filter.root).flatMap(textsOf);
  return [...new Set(texts)].filter(text => text.trim() !== '').slice(0, maxTerms);
}

function wantedTerms(node: Node): Term[] {
  if (node.kind === 'term') return [node];
  return node.kind === 'not' ? [] : node.nodes.flatMap(wantedTerms);
}

/** A number or a word of JSON is too frequent in bodies to be worth marking. */
function textsOf(term: Term): string[] {
  if (term.on === 'text') return [term.text];
  if (term.on !== 'content' || term.field === 'query' || term.number !== undefined) return [];
  const { text, isQuoted } = term.value;
  if (isQuoted) return [text];
  return /^(?:true|false|null)$/.test(text) ? [] : text.split('*');
}

/** Text that a glob can have, and paths do. */
const pathText = /^[\w.~%/@+,;=-]+$/;

/** The filter with its words also looked for in paths, the titles of rows without a type. Undefined when there is no word to look for. */
export function withPaths(where: string): string | undefined {
  const filter = parse(where);
  if (filter instanceof FilterError || !filter.root) return undefined;
  const words = wantedTerms(filter.root).filter(term => term.on === 'text' && pathText.test(term.text));
  if (words.length === 0 || where.includes('path:')) return undefined;
  const characters = [...where];
  for (const word of words.reverse()) {
    const text = textOf(filter, word);
    const either = `${text} OR path:*${word.on === 'text' ? word.text : ''}*`;
    const isAll = word.start === 0 && word.end === characters.length;
    characters.splice(word.start, word.end - word.start, isAll ? either : `(${either})`);
  }
  const next = characters.join('');
  return parse(next) instanceof FilterError ? undefined : next;
}
