/* Decodes a captured body from the API, and converts it to text, hex rows or an image. Nothing here trusts the content type. */

import { attempt } from '../../kit/attempt.ts';
import type { SourceText } from '../find-in-body/finder.ts';

/** The exact body bytes of an event, from `payloadRaw` in its `payloadEncoding`. */
export const bytesOf = (payloadRaw: string, encoding: 'utf8' | 'base64'): Uint8Array<ArrayBuffer> =>
  encoding === 'utf8' ? new TextEncoder().encode(payloadRaw) : fromBase64(payloadRaw);

/** A loop, because `Uint8Array.from` takes seconds for a large text. */
export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** One character a byte. For `Source`: only the piece that is searched becomes text. */
export const byteText = (bytes: Uint8Array): SourceText => ({
  length: bytes.length,
  slice: (from, to) => binaryText(bytes.subarray(from, to)),
});

/** One character a byte. `apply`, because spreading takes ten times as long. */
const binaryText = (bytes: Uint8Array): string => {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode.apply(null, bytes.subarray(at, at + 8192) as unknown as number[]);
  return binary;
};

export const toBase64 = (bytes: Uint8Array): string => btoa(binaryText(bytes));

/** The bytes decoded as UTF-8 including a byte order mark, or undefined when they are not valid UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | undefined =>
  attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));

/** Where a byte of a row is in its `hex`. */
export const hexColumn = (at: number): number => at * 3 + (at < 8 ? 0 : 1);

/** Row `index` of a hex view with 16 bytes per row. A shorter last row is padded. */
export const hexRow = (bytes: Uint8Array, index: number) => {
  const row = bytes.subarray(index * 16, index * 16 + 16);
  const cells = [...row].map(byte => byte.toString(16).padStart(2, '0'));
  while (cells.length < 16) cells.push('  ');
  return {
    offset: (index * 16).toString(16).padStart(8, '0'),
    hex: `${cells.slice(0, 8).join(' ')}  ${cells.slice(8).join(' ')}`,
    ascii: [...row].map(byte => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(''),
  };
};

export const hexRowCount = (bytes: Uint8Array): number => Math.ceil(bytes.length / 16);

const magicNumbers: [type: string, offset: number, bytes: number[]][] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
];

/** The image type detected from magic numbers. Never SVG, which can contain scripts. */
export const rasterType = (bytes: Uint8Array): string | undefined =>
  magicNumbers.find(([, offset, magic]) => magic.every((byte, index) => bytes[offset + index] === byte))?.[0];

/** A `data:` URL for a raster image of at most 4 MiB, or undefined. */
export const pictureUrl = (bytes: Uint8Array): string | undefined => {
  const type = rasterType(bytes);
  return type && bytes.length <= 4 << 20 ? `data:${type};base64,${toBase64(bytes)}` : undefined;
};
