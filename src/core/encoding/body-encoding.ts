/* Bodies as the API writes them in JSON: as text if the bytes are UTF-8, else in base64. */
import { invalidAt } from '../errors.ts';
import { decodeUtf8 } from '../text.ts';

export type BodyEncoding = 'utf8' | 'base64';

export function encodeBody(bytes: Uint8Array): { body: string; bodyEncoding: BodyEncoding } {
  const text = decodeUtf8(bytes);
  return text === undefined
    ? { body: Buffer.from(bytes).toString('base64'), bodyEncoding: 'base64' }
    : { body: text, bodyEncoding: 'utf8' };
}

/** @param field the path of the text, such as `edit.body` @throws invalid for text that is not base64 with padding */
export function decodeBody(text: string, encoding: BodyEncoding, field: string): Buffer {
  if (encoding === 'utf8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'base64');
  // Buffer.from skips characters that are not base64.
  if (bytes.toString('base64') !== text) throw invalidAt(field.split('.'), 'is not base64', `${field} is not base64`);
  return bytes;
}
