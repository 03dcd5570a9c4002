/* Determines the encoding of a delivery's signature, so that the expected signature can be shown in the same encoding. */
import type { DeliveryReader } from './delivery-reader.ts';
import type { Comparison, SignatureScheme } from './signature-scheme.ts';
import { headerValues } from './signature-values.ts';

export type SignatureEncoding = 'hex' | 'base64' | 'base64url' | 'utf8';

const candidates = ['hex', 'base64', 'base64url'] as const;
/** The part of the body in which a signature is searched. */
const maxSearchedCharacters = 64 * 1024;

/** A fixed value is text. */
export function signatureEncoding(
  scheme: SignatureScheme,
  reader: DeliveryReader,
  comparison: Comparison | undefined,
): SignatureEncoding {
  const fallback = scheme.encoding === undefined || scheme.encoding === 'hex-or-base64' ? 'hex' : scheme.encoding;
  const received = comparison?.received[0];
  if (received === undefined) return fallback;
  if (comparison?.message === null) return 'utf8';
  const text =
    scheme.header === null
      ? reader.text().slice(0, maxSearchedCharacters)
      : headerValues(scheme, reader)
          .map(({ value }) => value)
          .join('\n');
  const found = candidates.find(encoding => {
    const written = Buffer.from(received).toString(encoding);
    return text.includes(written) || (encoding === 'hex' && text.includes(written.toUpperCase()));
  });
  return found ?? fallback;
}
