/* The texts that a filter looks for, which are marked in the rows of the list and in the open event. */

import { FilterError, type Node, type Term } from '../../shared/filter/filter.ts';
import { parse } from '../search/filter-text.ts';

const maxTerms = 20;
const none: readonly string[] = [];
let last: { where: string; terms: readonly string[] } = { where: '', terms: none };

/**
 * The words and phrases of a filter, and the texts that its `body.` and `header.` terms compare with; what must not be there is left
 * out. The same array for the same filter.
 */
export function searchTermsOf(where: string): readonly string[] {
  if (where !== last.where) last = { where, terms: readTerms(where) };
  return last.terms;
}

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

/** A number or a word of JSON stands in a body too often to be worth marking. */
function textsOf(term: Term): string[] {
  if (term.on === 'text') return [term.text];
  if (term.on !== 'content' || term.field === 'query' || term.number !== undefined) return [];
  const { text, isQuoted } = term.value;
  if (isQuoted) return [text];
  return /^(?:true|false|null)$/.test(text) ? [] : text.split('*');
}
