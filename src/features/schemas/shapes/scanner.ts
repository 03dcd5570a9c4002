/* Steps through valid JSON text (json/validator.ts) without parsing it. Positions are UTF-16 offsets. */

const quote = 0x22;
const backslash = 0x5c;

const isSpaceCode = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

export function skipSpaces(text: string, start: number): number {
  let at = start;
  while (isSpaceCode(text.charCodeAt(at))) at++;
  return at;
}

/** The position after the text that begins with the quote at `start`. */
export function endOfText(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end + 1;
    from = end + 1;
  }
}

/** @param end as `endOfText` returns it */
export function readText(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end - 1);
  return plain.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : plain;
}

const numberForm = /-?\d+((?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
/** Integers with fewer digits are exact in a double. */
const exactDigits = 15;

/** The number at `start`. Whether it is an integer depends on its spelling: `1.0` and `1e3` are not. */
export function readNumber(text: string, start: number): { end: number; isInteger: boolean; isLarge: boolean } {
  numberForm.lastIndex = start;
  const fraction = numberForm.exec(text)?.[1] ?? '';
  const end = Math.max(start + 1, numberForm.lastIndex);
  const isInteger = fraction === '';
  const isLarge = isInteger && end - start > exactDigits && !Number.isSafeInteger(Number(text.slice(start, end)));
  return { end, isInteger, isLarge };
}

const charactersPerSlice = 32_768;

/** The position after the object or list that begins at `start`; yields from time to time. */
export function* skipContainer(text: string, start: number): Generator<undefined, number> {
  let depth = 0;
  let sliceEnd = start + charactersPerSlice;
  for (let at = start; at < text.length; ) {
    if (at > sliceEnd) {
      yield;
      sliceEnd = at + charactersPerSlice;
    }
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfText(text, at);
      continue;
    }
    at++;
    // { and [ differ from } and ] by 2; no other character outside of a text has these codes.
    if (code === 0x7b || code === 0x5b) depth++;
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at;
  }
  return text.length;
}
