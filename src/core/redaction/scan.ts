/* Finds card numbers, email and IP addresses in a text of one character a byte. All scans are linear. */
import { parseAddress } from '../../shared/addresses.ts';
import type { Detection } from '../../shared/redaction.ts';

/** Gets a range, in the order of the text. */
export type OnHit = (start: number, end: number) => void;

const table = (isIn: (character: string, code: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, code) => Number(isIn(String.fromCharCode(code), code)));
const has = (set: Uint8Array, text: string, at: number): boolean => set[text.charCodeAt(at)] === 1;

const digits = table(character => /[0-9]/.test(character));
const letters = table(character => /[A-Za-z]/.test(character));

const minDigits = 12;
const maxDigits = 19;

/** Groups of digits, with single spaces or hyphens between them, that have 12 to 19 digits together and a right check digit. */
function scanCards(text: string, onHit: OnHit): void {
  for (let at = 0; at < text.length; ) {
    if (!has(digits, text, at)) {
      at++;
      continue;
    }
    const groups: number[] = [];
    let end = at;
    for (let start = at; ; start = end + 1) {
      end = endOf(digits, text, start);
      groups.push(start, end);
      const separator = text.charCodeAt(end);
      if ((separator !== 0x20 && separator !== 0x2d) || !has(digits, text, end + 1)) break;
    }
    if (end - at >= minDigits) scanGroups(text, groups, onHit);
    at = end;
  }
}

/** Looks at each sequence of whole groups. Sequences that overlap are one hit. */
function scanGroups(text: string, groups: readonly number[], onHit: OnHit): void {
  let hitStart = -1;
  let hitEnd = -1;
  for (let first = 0; first < groups.length; first += 2) {
    const start = groups[first] ?? 0;
    const end = isFraction(text, start) ? -1 : endOfCard(text, groups, first);
    if (end < 0) continue;
    if (start >= hitEnd && hitEnd >= 0) onHit(hitStart, hitEnd);
    if (start >= hitEnd) hitStart = start;
    hitEnd = Math.max(hitEnd, end);
  }
  if (hitEnd >= 0) onHit(hitStart, hitEnd);
}

/** The end of the longest card number that begins with this group; -1 without a card number. */
function endOfCard(text: string, groups: readonly number[], first: number): number {
  let count = 0;
  // Luhn: every second digit from the right is doubled. Which ones depends on the number of digits.
  let sumIfEven = 0;
  let sumIfOdd = 0;
  let found = -1;
  for (let group = first; group < groups.length; group += 2) {
    const start = groups[group] ?? 0;
    const end = groups[group + 1] ?? 0;
    if (count + end - start > maxDigits) break;
    for (let at = start; at < end; at++) {
      const digit = text.charCodeAt(at) - 0x30;
      const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
      const isOdd = count++ % 2 === 1;
      sumIfEven += isOdd ? digit : doubled;
      sumIfOdd += isOdd ? doubled : digit;
    }
    const sum = count % 2 === 0 ? sumIfEven : sumIfOdd;
    if (count >= minDigits && sum % 10 === 0 && !hasFraction(text, end)) found = end;
  }
  return found;
}

const isFraction = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === 0x2e && has(digits, text, start - 2);
const hasFraction = (text: string, end: number): boolean => text.charCodeAt(end) === 0x2e && has(digits, text, end + 1);

/** Bytes from 0x80 are parts of characters beyond ASCII, which `scanEmails` looks at. */
const localPart = table((character, code) => /[A-Za-z0-9._+'~-]/.test(character) || code >= 0x80);
const domain = table((character, code) => /[A-Za-z0-9.-]/.test(character) || code >= 0x80);
const maxPartBytes = 255;

function scanEmails(text: string, onHit: OnHit): void {
  let last = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > last && at - start < maxPartBytes && has(localPart, text, start - 1)) start--;
    let end = at + 1;
    while (end - at <= maxPartBytes && has(domain, text, end)) end++;
    start = at - localLength(text.slice(start, at));
    end = at + 1 + domainLength(text.slice(at + 1, end));
    if (start === at || end === at + 1) continue;
    onHit(start, end);
    last = end;
  }
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
const isAscii = (text: string): boolean => !/[\u0080-\u00ff]/.test(text);
const wordCharacter = /[\p{L}\p{M}\p{N}._+'~-]/u;

function localLength(bytes: string): number {
  const text = isAscii(bytes) ? bytes : lastWord(utf8(bytes));
  return Buffer.byteLength(text.replace(/^[.'-]+/, ''), 'utf8');
}

function lastWord(text: string): string {
  const characters = [...text];
  return characters.slice(characters.findLastIndex(character => !wordCharacter.test(character)) + 1).join('');
}

/** How many bytes at the start are a domain: labels, the last of which begins with a letter. */
function domainLength(bytes: string): number {
  const text = isAscii(bytes) ? bytes : (/^[\p{L}\p{M}\p{N}.-]*/u.exec(utf8(bytes))?.[0] ?? '');
  let end = 0;
  let length = 0;
  for (const [i, written] of text.split('.').entries()) {
    const label = written.replace(/-+$/, '');
    if (label === '' || label.startsWith('-')) break;
    if (i > 0 && /^\p{L}/u.test(label)) length = end + label.length;
    if (label !== written) break;
    end += written.length + 1;
  }
  return Buffer.byteLength(text.slice(0, length), 'utf8');
}

const addressBytes = table(character => /[0-9A-Fa-f.:]/.test(character));
const minAddressCharacters = 3;
const maxAddressCharacters = 45;
const minIpv4Characters = 7;

function scanAddresses(text: string, onHit: OnHit): void {
  for (let at = 0; at < text.length; at++) {
    if (!has(addressBytes, text, at)) continue;
    const start = at;
    at = endOf(addressBytes, text, at);
    if (at - start < minAddressCharacters) continue;
    const isGluedBefore = has(letters, text, start - 1);
    const isGluedAfter = has(letters, text, at);
    scanAddressRun(text.slice(start, at), isGluedBefore, isGluedAfter, (from, to) => onHit(start + from, start + to));
  }
}

/** @param run digits, letters to F, dots and colons */
function scanAddressRun(run: string, isGluedBefore: boolean, isGluedAfter: boolean, onHit: OnHit): void {
  if (run.length <= maxAddressCharacters + 2 && run.includes(':') && !isGluedBefore && !isGluedAfter) {
    const start = run.startsWith(':') && !run.startsWith('::') ? 1 : 0;
    let end = run.length;
    while (end > start && run[end - 1] === '.') end--;
    if (run[end - 1] === ':' && run[end - 2] !== ':') end--;
    const address = run.slice(start, end);
    if (address !== '::' && parseAddress(address)) {
      onHit(start, end);
      return;
    }
  }
  for (let start = 0, end = 0; start < run.length; start = end + 1) {
    const colon = run.indexOf(':', start);
    end = colon < 0 ? run.length : colon;
    if ((start === 0 && isGluedBefore) || (end === run.length && isGluedAfter)) continue;
    let from = start;
    let to = end;
    while (from < to && run[from] === '.') from++;
    while (to > from && run[to - 1] === '.') to--;
    if (to - from >= minIpv4Characters && parseAddress(run.slice(from, to))) onHit(from, to);
  }
}

function endOf(set: Uint8Array, text: string, start: number): number {
  let at = start;
  while (has(set, text, at)) at++;
  return at;
}

export const scans: Record<Detection, (text: string, onHit: OnHit) => void> = {
  card: scanCards,
  email: scanEmails,
  ip: scanAddresses,
};
