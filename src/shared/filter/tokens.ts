/* Splits a filter into words, parentheses and minus signs of code points. Never throws, for completion of unfinished texts. */
import type { Span } from './filter.ts';

export type Token = Span & {
  readonly kind: 'word' | 'open' | 'close' | 'minus';
  /** Whether it directly follows a word. */
  readonly isGlued: boolean;
  /** The position of a quote that is never closed. */
  readonly openQuote: number | undefined;
};

export const toCharacters = (text: string): string[] => [...text];

/** Includes the no-break space, which pasted texts may contain. */
export const isBlank = (character: string | undefined): boolean => character !== undefined && /\s/.test(character);

export function tokenize(characters: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; ) {
    const character = characters[at];
    if (isBlank(character)) {
      at++;
      continue;
    }
    const token = tokenAt(characters, at, tokens.at(-1));
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function tokenAt(characters: readonly string[], start: number, before: Token | undefined): Token {
  const isGlued = before?.kind === 'word' && before.end === start;
  const single = { start, end: start + 1, isGlued, openQuote: undefined };
  if (characters[start] === '(') return { kind: 'open', ...single };
  if (characters[start] === ')') return { kind: 'close', ...single };
  if (characters[start] === '-') return { kind: 'minus', ...single };
  let at = start;
  while (at < characters.length && !endsWord(characters[at])) {
    const end = characters[at] === '"' ? endOfQuoted(characters, at) : at + 1;
    if (end === undefined) return { kind: 'word', start, end: characters.length, isGlued, openQuote: at };
    at = end;
  }
  return { kind: 'word', start, end: at, isGlued, openQuote: undefined };
}

const endsWord = (character: string | undefined): boolean =>
  character === '(' || character === ')' || isBlank(character);

/** The position after the quote that closes the quote at `start`; undefined if it is never closed. */
export function endOfQuoted(characters: readonly string[], start: number): number | undefined {
  let at = start + 1;
  while (at < characters.length && characters[at] !== '"') at += isEscape(characters, at) ? 2 : 1;
  return at < characters.length ? at + 1 : undefined;
}

/** The text between two quotes, with escapes resolved. */
export function unquote(characters: readonly string[], { start, end }: Span): string {
  let text = '';
  for (let at = start + 1; at < end - 1; at++) {
    if (isEscape(characters, at)) at++;
    text += characters[at];
  }
  return text;
}

/** `\"` or `\\`. Any other backslash is literal. */
const isEscape = (characters: readonly string[], at: number): boolean =>
  characters[at] === '\\' && (characters[at + 1] === '"' || characters[at + 1] === '\\');

/** A text in quotes, as the parser reads it. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
