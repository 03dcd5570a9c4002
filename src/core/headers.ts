/* Header pairs as received, and the header rules (api-contract). Values have one character a byte, as HTTP/1.1 carries them. */
import { asBuffer } from './encoding/buffer.ts';

export type HeaderPair = readonly [name: string, value: string];

export const redacted = '[redacted]';
const credentials = new Set(['authorization', 'cookie', 'proxy-authorization']);
const transit = new Set(['x-real-ip', 'true-client-ip']);
const transitPrefixes = ['cf-', 'x-forwarded-'];

type Name = { lower: string; rule: 'keep' | 'redact' | 'drop' };

/** A cache: senders spell their field names the same way in every delivery. */
const names = new Map<string, Name>();
const maxNames = 2000;
/** Longer names are not cached, so that a sender cannot fill the memory with them. */
const maxCachedLength = 100;

function nameOf(spelling: string): Name {
  const known = names.get(spelling);
  if (known) return known;
  const lower = spelling.toLowerCase();
  const rule = isTransitHeader(lower) ? 'drop' : isCredentialHeader(lower) ? 'redact' : 'keep';
  const name: Name = { lower, rule };
  // This makes a copy, because a slice would keep the whole head in memory. A name with characters beyond latin1, which cannot
  // have been received, has no exact copy and is not cached.
  const copy = Buffer.from(spelling, 'latin1').toString('latin1');
  if (spelling.length > maxCachedLength || copy !== spelling) return name;
  if (names.size >= maxNames) names.clear();
  names.set(copy, name);
  return name;
}

export const lowerName = (spelling: string): string => nameOf(spelling).lower;

/** The value of the first field of this name. @param name lower-case */
export const headerValue = (pairs: readonly HeaderPair[], name: string): string | undefined =>
  pairs.find(([spelling]) => lowerName(spelling) === name)?.[1];

/** Whether it can be the name of a field, or a method (RFC 9110 section 5.6.2). */
export const isToken = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);

/** Whether it can be a value (section 5.5): no CR, LF, NUL or other controls. */
export const isFieldValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

export const isFormType = (contentType: string): boolean =>
  /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType);

/** Fields of one connection (RFC 9110 section 7.6.1), in lower case. */
export const connectionFields = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
] as const;

/** Field names that the captured `Connection` header lists, in lower case: they apply only to that connection, too. */
export const connectionOptions = (pairs: readonly HeaderPair[]): Set<string> =>
  new Set(
    pairs
      .filter(([name]) => lowerName(name) === 'connection')
      .flatMap(([, value]) => value.split(',').map(option => option.trim().toLowerCase())),
  );

/** Stored redacted: rule 1. @param name lower-case */
export const isCredentialHeader = (name: string): boolean => credentials.has(name);

/** Added by an edge proxy and not stored: rule 2. @param name lower-case */
export const isTransitHeader = (name: string): boolean =>
  transit.has(name) || transitPrefixes.some(prefix => name.startsWith(prefix));

/** node's flat `rawHeaders` as pairs, in order, with the case of names and with repeated names. */
export function toPairs(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']);
  return pairs;
}

/** node's flat `rawHeaders` as field lines, as they are sent. */
export function toFieldLines(rawHeaders: readonly string[]): Uint8Array {
  let lines = '';
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return Buffer.from(lines, 'latin1');
}

/** Field lines (RFC 9112 section 5) as pairs, without the white space around values. */
export function readFieldLines(lines: Uint8Array): HeaderPair[] {
  const text = asBuffer(lines).toString('latin1');
  const pairs: HeaderPair[] = [];
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    if (colon < 0 || end < 0) throw new RangeError('not the lines of header fields');
    pairs.push([text.slice(at, colon), sliceTrimmed(text, colon + 1, end)]);
    at = end + 2;
  }
  return pairs;
}

/** Removes the optional white space of RFC 9110 section 5.6.3. `trim` would also remove bytes of the value. */
export const trimBlanks = (value: string): string => sliceTrimmed(value, 0, value.length);

function sliceTrimmed(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

export function applyHeaderRules(pairs: readonly HeaderPair[]): HeaderPair[] {
  const kept: HeaderPair[] = [];
  for (const pair of pairs) {
    const { rule } = nameOf(pair[0]);
    if (rule !== 'drop') kept.push(rule === 'redact' ? [pair[0], redacted] : pair);
  }
  return kept;
}

/** Matches a line of a field that is not stored as received. */
const ruledLine = new RegExp(
  `(?:^|\\n)(?:(?:${[...credentials, ...transit].join('|')})[ \\t]*:|${transitPrefixes.join('|')})`,
  'i',
);

/** Field lines after the header rules: `lines` itself when no rule applies. @param text the lines as latin1 */
export function applyRulesToLines(lines: Uint8Array, text: string): Uint8Array {
  if (!ruledLine.test(text)) return lines;
  return toFieldLines(applyHeaderRules(readFieldLines(lines)).flat());
}

/** Lower-case names, repeated names joined with `, ` (interface "API beyond the contract"). `__proto__` is a name like any other. */
export function joinHeaders(pairs: readonly HeaderPair[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = lowerName(name);
    const before = joined.get(key);
    joined.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(joined);
}
