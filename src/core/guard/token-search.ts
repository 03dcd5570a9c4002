/*
 * Finds a token in a text that may have encoded it: percent-encoded, with `+` for spaces, escaped as in JSON, in base64 of either
 * alphabet, beside other text, and in up to three of these encodings one inside the other. Every decoded text is at most as long as
 * the text that it was decoded from, so the work grows only with the length of the text.
 */

/** Shorter tokens may be in a text by chance. */
export const minTokenCharacters = 8;

const maxSteps = 3;
const escapes = /%([0-9a-f]{2})|\\u00([0-9a-f]{2})|\\(["\\/])/gi;
/** The characters that may begin a group of base64: other text can come before it without a gap. */
const groupStarts = [0, 1, 2, 3];

/** @param token visible ASCII and spaces, at least `minTokenCharacters` of them */
export function createTokenSearch(token: string): (text: string) => boolean {
  const targets = targetsOf(token);
  const hasSpaces = targets.some(target => target.includes(' '));
  const shortest = Math.min(...targets.map(({ length }) => length));
  const base64Runs = new RegExp(`[A-Za-z0-9+/_-]{${Math.ceil((shortest * 4) / 3)},}`, 'g');

  const isIn = (text: string): boolean => {
    const read = hasSpaces ? withSpaces(text) : text;
    return targets.some(target => read.includes(target));
  };
  const holdsToken = (text: string, stepsLeft: number): boolean => {
    if (isIn(text)) return true;
    if (stepsLeft === 0 || text.length < shortest) return false;
    const decoded = unescaped(text);
    if (decoded !== text && holdsToken(decoded, stepsLeft - 1)) return true;
    return (text.match(base64Runs) ?? []).some(run =>
      groupStarts.some(start => holdsToken(latin1OfBase64(run.slice(start)), stepsLeft - 1)),
    );
  };
  return text => holdsToken(text, maxSteps);
}

/** The token, and as it reads when something in it that looks like an escape is decoded together with the text around it. */
function targetsOf(token: string): string[] {
  const readings = [token];
  for (let step = 0; step < maxSteps; step++) readings.push(unescaped(readings[step] ?? ''));
  return [...new Set(readings.map(withSpaces))].filter(({ length }) => length >= minTokenCharacters);
}

const withSpaces = (text: string): string => text.replaceAll('+', ' ');

function unescaped(text: string): string {
  if (!text.includes('%') && !text.includes('\\')) return text;
  return text.replace(escapes, (_, percent?: string, unicode?: string, character?: string) =>
    character === undefined ? String.fromCharCode(Number.parseInt(percent ?? unicode ?? '', 16)) : character,
  );
}

const latin1OfBase64 = (text: string): string => Buffer.from(text, 'base64').toString('latin1');
