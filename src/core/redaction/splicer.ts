/* Replaces ranges of bytes in the order in which they come, and copies the bytes between them. */
import { asBuffer } from '../encoding/buffer.ts';

/** Hashes can be longer than the values that they replace. A result may be larger than the bytes by this factor and this number. */
const maxGrowth = 4;
const maxMoreBytes = 1 << 20;

/** @param length of the given bytes */
export const maxRedactedBytes = (length: number): number => length * maxGrowth + maxMoreBytes;

export function createSplicer(given: Uint8Array) {
  const bytes = asBuffer(given);
  const maxBytes = maxRedactedBytes(bytes.length);
  let out: Buffer | undefined;
  let length = 0;
  let copied = 0;
  let isTooLarge = false;
  const reserve = (more: number): Buffer => {
    const needed = length + more;
    if (out && needed <= out.length) return out;
    const larger = Buffer.allocUnsafeSlow(
      Math.min(Math.max(needed, 2 * (out?.length ?? 0), bytes.length + 256), maxBytes),
    );
    out?.copy(larger, 0, 0, length);
    out = larger;
    return larger;
  };
  const copyUpTo = (end: number): void => {
    const target = reserve(end - copied);
    length += bytes.copy(target, length, copied, end);
    copied = end;
  };
  return {
    /** @param text written as UTF-8 @returns whether it is another text than the range has */
    replace: (start: number, end: number, text: string): boolean => {
      if (isSame(bytes, start, end, text)) return false;
      const size = Buffer.byteLength(text, 'utf8');
      isTooLarge ||= length + (start - copied) + size > maxBytes;
      if (isTooLarge) return true;
      copyUpTo(start);
      length += reserve(size).write(text, length, 'utf8');
      copied = end;
      return true;
    },
    isTooLarge: () => isTooLarge,
    /** The bytes themselves if nothing has changed; undefined if the result would be too large. */
    result: (): Uint8Array | undefined => {
      if (!out) return isTooLarge ? undefined : given;
      isTooLarge ||= length + (bytes.length - copied) > maxBytes;
      if (isTooLarge) return undefined;
      copyUpTo(bytes.length);
      return out.subarray(0, length);
    },
  };
}

const isSame = (bytes: Buffer, start: number, end: number, text: string): boolean =>
  end - start <= 64 && bytes.toString('utf8', start, end) === text;
