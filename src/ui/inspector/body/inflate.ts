/* Decompresses compressed bodies for display. The output size is limited, so that a decompression bomb does no harm. */

export type Compression = 'gzip' | 'deflate';

const maxInflatedBytes = 16 << 20;

/** Detects gzip by its magic number and deflate by the Content-Encoding header. Browsers cannot decompress other encodings. */
export function detectCompression(bytes: Uint8Array, contentEncoding: string): Compression | undefined {
  const encoding = contentEncoding.trim().toLowerCase();
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  return encoding === 'deflate' && bytes.length > 0 ? 'deflate' : undefined;
}

export const unsupportedEncoding = (contentEncoding: string): string | undefined =>
  /^(br|zstd|compress)$/.exec(contentEncoding.trim().toLowerCase())?.[1];

/** The decompressed bytes, or undefined when the data is damaged or larger than 16 MiB. */
export async function inflate(bytes: Uint8Array, compression: Compression): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
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
      chunks.push(value);
    }
  } catch {
    return undefined;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
