/* Searches like `"key": value`, which find a text with any white space between tokens; other searches compare each character. */

const tokenPattern = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[{}[\],:]|[^\s"{}[\],:]+/y;
const spacePattern = /[ \t\n\r]*/y;
const keyPattern = /^"(?:[^"\\]|\\[\s\S])*"$/;

const advance = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** The tokens of a piece of JSON with a key and at least the beginning of its value; undefined for any other text. */
export function jsonPhraseTokens(text: string): string[] | undefined {
  const tokens: string[] = [];
  let hasMember = false;
  for (let at = advance(spacePattern, text, 0); at < text.length; at = advance(spacePattern, text, at)) {
    const end = advance(tokenPattern, text, at);
    if (end < 0) return undefined;
    const token = text.slice(at, end);
    // Two values side by side: this is text, not JSON.
    if (isValue(token) && isValue(tokens.at(-1))) return undefined;
    if (tokens.at(-1) === ':' && keyPattern.test(tokens.at(-2) ?? '')) hasMember = true;
    tokens.push(token);
    at = end;
  }
  return hasMember ? tokens : undefined;
}

const isValue = (token: string | undefined): boolean => token !== undefined && !/^[{}[\],:]$/.test(token);

/** The source of a regular expression for a literal text, also with the flag `u`. */
export const literalPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

export const betweenTokens = '[ \\t\\n\\r]*';
