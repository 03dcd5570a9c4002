/* Crockford base 32, lower case: sorts like the number it writes, has no look-alikes, is safe in every part of a URL. */

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const values = new Map([...alphabet].map((letter, value) => [letter, value]));

const codes = Uint8Array.from(alphabet, letter => letter.charCodeAt(0));

export const lettersFor = (bytes: number): number => Math.ceil((bytes * 8) / 5);

/** Bits in groups of five, most significant first; the last group is padded with zero bits. */
export function encodeBytes(bytes: Uint8Array): string {
  const letters = Buffer.allocUnsafe(lettersFor(bytes.length));
  writeBytes(letters, 0, bytes, 0, bytes.length);
  return letters.toString('latin1');
}

/** Like `encodeBytes`, for a part of the bytes and into existing memory, because every stored delivery has an id. */
export function writeBytes(letters: Uint8Array, at: number, bytes: Uint8Array, from: number, to: number): void {
  let held = 0;
  let bits = 0;
  let next = at;
  for (let i = from; i < to; i++) {
    held = ((held << 8) | (bytes[i] as number)) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      letters[next++] = codes[(held >> bits) & 31] as number;
    }
  }
  if (bits > 0) letters[next] = codes[(held << (5 - bits)) & 31] as number;
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
  const letters = Buffer.allocUnsafe(length);
  writeNumber(letters, 0, value, length);
  return letters.toString('latin1');
}

/** Like `encodeNumber`, into existing memory. */
export function writeNumber(letters: Uint8Array, at: number, value: number, length: number): void {
  // Thirty bits at a time, because the engine needs no division for integers of that size.
  let rest = value;
  for (let end = at + length; end > at; end -= 6) {
    let low = rest % 0x4000_0000;
    rest = Math.floor(rest / 0x4000_0000);
    for (let next = end - 1; next >= Math.max(at, end - 6); next--) {
      letters[next] = codes[low & 31] as number;
      low >>>= 5;
    }
  }
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
