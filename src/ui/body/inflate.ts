/* Bodies that were sent compressed, opened for reading. Bounded: a bomb stops at the limit. The stored bytes stay what they are. */

export type Compression = 'gzip' | 'deflate';

const maxInflatedBytes = 16 << 20;

/** How a body is compressed: by its header, or by gzip's own magic. Encodings that browsers cannot open are none. */
export function detectCompression(bytes: Uint8Array, contentEncoding: string): Compression | undefined {
  const encoding = contentEncoding.trim().toLowerCase();
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  return encoding === 'deflate' && bytes.length > 0 ? 'deflate' : undefined;
}

/** The name of an encoding that the body may have but that is not opened here: for saying so. */
export const unsupportedEncoding = (contentEncoding: string): string | undefined =>
  /^(br|zstd|compress)$/.exec(contentEncoding.trim().toLowerCase())?.[1];

/** The bytes inside, at most 16 MiB, or undefined when they are damaged or more than that. */
export async function inflate(bytes: Uint8Array, compression: Compression): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream(compression));
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > maxInflatedBytes) {
        await reader.cancel();
        return undefined;
      }
      pieces.push(value);
    }
  } catch {
    return undefined;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
