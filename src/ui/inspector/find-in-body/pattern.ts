/* Patterns that find texts as the server does: case is ignored, and in `"key": value` white space between the tokens. */

import { betweenTokens, jsonPhraseTokens, literalPattern } from '../../../shared/json-phrase.ts';

/** A span of a text (UTF-16), end exclusive. */
export type Span = { readonly start: number; readonly end: number };

const shortEscapes: Record<string, string> = {
  '"': '\\\\"',
  '\\': '\\\\\\\\',
  '/': '\\\\/',
  '\b': '\\\\b',
  '\f': '\\\\f',
  '\n': '\\\\n',
  '\r': '\\\\r',
  '\t': '\\\\t',
};

/** Undefined when there is nothing to find. @param inEscapes also finds the escapes of JSON strings, such as `\/` and `\u00e9` */
export function findPattern(terms: readonly string[], { inEscapes = false } = {}): RegExp | undefined {
  const literal = inEscapes ? escapedPattern : literalPattern;
  const sources = [...new Set(terms)]
    .filter(term => term !== '')
    .sort((a, b) => b.length - a.length)
    .map(term => (jsonPhraseTokens(term) ?? [term]).map(literal).join(betweenTokens));
  return sources.length === 0 ? undefined : new RegExp(sources.join('|'), 'giu');
}

/** Finds the UTF-8 bytes of the texts, or bytes given as pairs of hexadecimal digits, in a text with one character a byte. */
export function bytesPattern(terms: readonly string[]): RegExp | undefined {
  const sources = terms
    .filter(term => term !== '')
    .flatMap(term => [...hexBytes(term), (jsonPhraseTokens(term) ?? [term]).map(utf8Pattern).join(betweenTokens)]);
  return sources.length === 0 ? undefined : new RegExp(sources.join('|'), 'g');
}

const hexBytes = (term: string): string[] =>
  /^\s*(?:[0-9a-f]{2}\s*)+$/i.test(term) ? [term.replaceAll(/\s/g, '').replaceAll(/../g, byte => `\\x${byte}`)] : [];

const utf8Pattern = (text: string): string =>
  [...text]
    .map(character => {
      const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
      return `(?:${[...cases].map(utf8Bytes).join('|')})`;
    })
    .join('');

const utf8Bytes = (text: string): string =>
  [...new TextEncoder().encode(text)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

const escapedPattern = (text: string): string =>
  [...text]
    .map(character => {
      const short = shortEscapes[character];
      const written = short === undefined ? [] : [short];
      for (const one of new Set([character, character.toLowerCase(), character.toUpperCase()]))
        written.push([...units(one)].map(unit => `\\\\u${unit.toString(16).padStart(4, '0')}`).join(''));
      written.push(literalPattern(character));
      return `(?:${written.join('|')})`;
    })
    .join('');

function* units(text: string): Generator<number> {
  for (let at = 0; at < text.length; at++) yield text.charCodeAt(at);
}

/** At most `limit` hits in a text, in order, without overlaps. */
export function spansIn(text: string, pattern: RegExp, limit: number): Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = 0;
  for (let hit = pattern.exec(text); hit && spans.length < limit; hit = pattern.exec(text))
    spans.push({ start: hit.index, end: pattern.lastIndex });
  return spans;
}
