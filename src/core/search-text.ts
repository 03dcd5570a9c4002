/*
 * What a search looks at and when it matches. An event is found by its type or by its payload as a person reads it: a valid
 * UTF-8 body as it was written, and a JSON body also with the escapes of its strings resolved. Both sides are case-folded by
 * the one function here, so the index and the final check cannot disagree. Anything else about a character is literal.
 */
import { decodeUtf8 } from './text.ts';

/** Lower case keeps the dotted capital I apart from every other letter only if it never sees it. */
const dottedCapitalI = '\u0130';
/** Its upper case is I, but Unicode folds it to itself. */
const dotlessSmallI = '\u0131';

/** One code point under Unicode simple case folding (CaseFolding.txt, statuses C and S). */
function foldCharacter(character: string): string {
  if (character === dottedCapitalI || character === dotlessSmallI) return character;
  const one = (text: string): boolean => text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  const upper = character.toUpperCase();
  // Through upper case, because several small letters (final sigma, long s, micro) have one capital.
  const folded = (one(upper) ? upper : character).toLowerCase();
  return one(folded) ? folded : character;
}

/** What `toLowerCase` leaves apart or, for a capital sigma, makes depend on the neighbours. All are in the BMP. */
const special = new Map<string, string>([['\u03a3', '\u03c3']]);
for (let code = 0x80; code <= 0xffff; code++) {
  if (code >= 0xd800 && code <= 0xdfff) continue;
  const character = String.fromCharCode(code);
  const folded = foldCharacter(character);
  if (folded !== character.toLowerCase() && character !== dottedCapitalI) special.set(character, folded);
}
const specials = new RegExp(`[${[...special.keys()].join('')}]`, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is meant, all of it
const notAscii = /[^\u0000-\u007f]/;

/** Unicode simple case folding. The result has as many UTF-16 units as the text. */
export function foldCase(text: string): string {
  if (!notAscii.test(text)) return text.toLowerCase();
  const plain = text.replace(specials, character => special.get(character) ?? character);
  if (!plain.includes(dottedCapitalI)) return plain.toLowerCase();
  return plain
    .split(dottedCapitalI)
    .map(part => part.toLowerCase())
    .join(dottedCapitalI);
}

const short: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const escapes = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const looksLikeJson = /^[\ufeff\s]*[[{"]/;

/** JSON text with the escapes of its strings resolved (RFC 8259, section 7); undefined when that changes nothing. */
function resolveEscapes(text: string): string | undefined {
  if (!text.includes('\\') || !looksLikeJson.test(text)) return undefined;
  return text.replace(escapes, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (short[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Everything of one event that a search looks at, folded. A term has to lie within one of these texts. */
export function searchTexts(eventType: string | null, body: Uint8Array): string[] {
  const texts = eventType === null ? [] : [foldCase(eventType)];
  const written = decodeUtf8(body);
  if (written === undefined || written === '') return texts;
  texts.push(foldCase(written));
  const read = resolveEscapes(written);
  if (read !== undefined) texts.push(foldCase(read));
  return texts;
}

export type Matcher = (eventType: string | null, body: Uint8Array) => boolean;

/** Whether an event is found by `q`: a case-insensitive substring, every character literal. */
export function createMatcher(q: string): Matcher {
  const term = foldCase(q);
  return (eventType, body) => searchTexts(eventType, body).some(text => text.includes(term));
}
