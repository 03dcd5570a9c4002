/* Reads the filter language (docs/filters.md). NOT binds before AND, and AND, which may be left out, before OR. */
import { type Filter, FilterError, type Node, type Span } from './filter.ts';
import { readTerm } from './term.ts';
import { type Token, toCharacters, tokenize } from './tokens.ts';

export const maxFilterBytes = 2048;
export const maxTerms = 50;
export const maxParentheses = 8;

const keywords = new Set(['AND', 'OR', 'NOT']);

/** A node and its place in the text, including its `-`, `NOT` and parentheses. */
type Part = { readonly node: Node; readonly span: Span };

/** @throws FilterError */
export function parseFilter(text: string): Filter {
  const characters = readCharacters(text);
  const tokens = tokenize(characters);
  let at = 0;
  let terms = 0;
  const open: Token[] = [];

  const wordAt = (token: Token | undefined): string | undefined =>
    token?.kind === 'word' ? characters.slice(token.start, token.end).join('') : undefined;
  const isNext = (word: string): boolean => wordAt(tokens[at]) === word;
  const last = (): Token | undefined => tokens[at - 1];

  /** The operands of OR, each as a list of the operands of AND. */
  const parseAny = (): Part[][] => {
    const alternatives = [parseAll()];
    while (isNext('OR')) {
      at++;
      alternatives.push(parseAll());
    }
    return alternatives;
  };

  const parseAll = (): Part[] => {
    const parts = [parseNot()];
    for (let token = tokens[at]; token && token.kind !== 'close' && !isNext('OR'); token = tokens[at]) {
      if (isNext('AND')) at++;
      parts.push(parseNot());
    }
    return parts;
  };

  const parseNot = (): Part => {
    const start = tokens[at]?.start ?? 0;
    let isNegated = false;
    while (isNext('NOT') || tokens[at]?.kind === 'minus') {
      const { kind, end } = tokens[at++] as Token;
      if (kind === 'minus' && (tokens[at]?.start !== end || tokens[at]?.kind === 'close'))
        throw new FilterError('a term is missing after the "-"; put a literal "-" in quotes', end - 1);
      isNegated = !isNegated;
    }
    const { node, span } = parsePrimary();
    return { node: isNegated ? negated(node) : node, span: { start, end: span.end } };
  };

  const parsePrimary = (): Part => {
    const token = tokens[at];
    const word = wordAt(token);
    if (!token || token.kind === 'close' || word === 'OR' || word === 'AND') throw missingTerm(last(), token, wordAt);
    if (token.isGlued && !keywords.has(wordAt(last()) ?? ''))
      throw new FilterError('put text with parentheses in quotes', token.start);
    at++;
    if (token.kind === 'open') return parseGroup(token);
    if (++terms > maxTerms) throw new FilterError(`a filter has at most ${maxTerms} terms`, token.start);
    return { node: readTerm(characters, token), span: token };
  };

  const parseGroup = (opening: Token): Part => {
    open.push(opening);
    if (open.length > maxParentheses)
      throw new FilterError(`at most ${maxParentheses} nested parentheses are allowed`, opening.start);
    const { node } = joinedAny(parseAny());
    const closing = tokens[at];
    if (closing?.kind !== 'close') throw new FilterError('this parenthesis is not closed', opening.start);
    open.pop();
    at++;
    return { node, span: { start: opening.start, end: closing.end } };
  };

  if (tokens.length === 0) return { text, root: undefined, parts: [] };
  const alternatives = parseAny();
  const rest = tokens[at];
  if (rest) throw new FilterError('there is no matching opening parenthesis', rest.start);
  const { node, span } = joinedAny(alternatives);
  const [conjuncts = []] = alternatives;
  return { text, root: node, parts: alternatives.length > 1 ? [span] : conjuncts.map(part => part.span) };
}

/** @throws FilterError if there are too many, or if a surrogate lacks its other half */
function readCharacters(text: string): string[] {
  const encoder = new TextEncoder();
  const isLong = text.length > maxFilterBytes || encoder.encode(text).length > maxFilterBytes;
  const characters = toCharacters(isLong ? text.slice(0, maxFilterBytes + 1) : text);
  if (isLong) {
    let bytes = 0;
    const position = characters.findIndex(character => {
      bytes += encoder.encode(character).length;
      return bytes > maxFilterBytes;
    });
    throw new FilterError(`a filter has at most 2 KiB (${maxFilterBytes} bytes)`, position);
  }
  if (!text.isWellFormed())
    throw new FilterError(
      'the text contains an incomplete character',
      characters.findIndex(character => !character.isWellFormed()),
    );
  return characters;
}

/** Joins several nodes into one. Nested nodes of the same kind are merged, so that the planner sees one list. */
function joined(kind: 'and' | 'or', parts: readonly Part[]): Part {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last || first === last) return first as Part;
  const nodes = parts.flatMap(({ node }) => (node.kind === kind ? node.nodes : [node]));
  return { node: { kind, nodes }, span: { start: first.span.start, end: last.span.end } };
}

const joinedAny = (alternatives: readonly Part[][]): Part =>
  joined(
    'or',
    alternatives.map(parts => joined('and', parts)),
  );

const negated = (node: Node): Node => (node.kind === 'not' ? node.node : { kind: 'not', node });

function missingTerm(
  before: Token | undefined,
  found: Token | undefined,
  wordAt: (token: Token | undefined) => string | undefined,
): FilterError {
  const operator = wordAt(before);
  if (operator !== undefined) return new FilterError(`a term is missing after ${operator}`, before?.start ?? 0);
  const word = wordAt(found);
  if (word !== undefined) return new FilterError(`a term is missing before ${word}`, found?.start ?? 0);
  if (before?.kind !== 'open') return new FilterError('there is no matching opening parenthesis', found?.start ?? 0);
  if (!found) return new FilterError('this parenthesis is not closed', before.start);
  return new FilterError('these parentheses are empty', before.start);
}
