/* The cursor of a list whose order changes: the row numbers shown so far, compressed, so that no page repeats a row. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** More row numbers than any team has endpoints; a crafted cursor must not become millions of them. */
const maxDecodedBytes = 1 << 16;

export function encodeShown(seqs: readonly number[]): string {
  const bytes: number[] = [];
  let last = 0;
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    let difference = seq - last;
    last = seq;
    for (; difference > 0x7f; difference = Math.floor(difference / 0x80)) bytes.push((difference % 0x80) + 0x80);
    bytes.push(difference);
  }
  return deflateRawSync(Buffer.from(bytes)).toString('base64url');
}

/** undefined for anything that `encodeShown` cannot have made. */
export function decodeShown(cursor: string): number[] | undefined {
  if (!/^[\w-]+$/.test(cursor)) return undefined;
  let bytes: Uint8Array;
  try {
    bytes = inflateRawSync(Buffer.from(cursor, 'base64url'), { maxOutputLength: maxDecodedBytes });
  } catch {
    return undefined;
  }
  const seqs: number[] = [];
  let [last, difference, place] = [0, 0, 1];
  for (const byte of bytes) {
    difference += (byte % 0x80) * place;
    place *= 0x80;
    if (byte >= 0x80) continue;
    last += difference;
    if (difference === 0 || !Number.isSafeInteger(last)) return undefined;
    seqs.push(last);
    [difference, place] = [0, 1];
  }
  return place === 1 && seqs.length > 0 ? seqs : undefined;
}
