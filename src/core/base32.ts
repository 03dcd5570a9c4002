/* Crockford base 32, lower case: sorts like the number it writes, has no look-alikes, is safe in every part of a URL. */

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const values = new Map([...alphabet].map((letter, value) => [letter, value]));

/** Two letters for each ten bits: every stored delivery writes an id. */
const pairs = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`);

/** Bits in groups of five, most significant first; the last group is padded with zero bits. */
export function encodeBytes(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (let i = 0; i < bytes.length; i++) {
    held = ((held << 8) | (bytes[i] ?? 0)) & 0x3ffff;
    bits += 8;
    if (bits >= 10) {
      bits -= 10;
      text += pairs[(held >> bits) & 1023];
    }
  }
  if (bits >= 5) {
    bits -= 5;
    text += alphabet[(held >> bits) & 31];
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text;
}

/** The inverse of `encodeBytes`; undefined for a letter outside the alphabet or padding that is not zero. */
export function decodeBytes(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const letter of text) {
    const value = values.get(letter);
    if (value === undefined) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >> bits) & 0xff;
    }
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

/** @param value a non-negative safe integer; `length` letters, zero-padded */
export function encodeNumber(value: number, length: number): string {
  let text = '';
  let rest = value;
  let left = length;
  for (; left >= 2; left -= 2) {
    text = pairs[rest % 1024] + text;
    rest = Math.floor(rest / 1024);
  }
  return left === 1 ? `${alphabet[rest % 32]}${text}` : text;
}

/** undefined for a letter outside the alphabet or a value that is not a safe integer. */
export function decodeNumber(text: string): number | undefined {
  let number = 0;
  for (const letter of text) {
    const value = values.get(letter);
    if (value === undefined) return undefined;
    number = number * 32 + value;
  }
  return Number.isSafeInteger(number) ? number : undefined;
}
