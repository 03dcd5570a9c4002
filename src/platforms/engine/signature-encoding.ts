/* In which encoding a delivery writes its signature, so that another one can be shown in the same. */
import type { DeliveryReader } from './delivery-reader.ts';
import type { Comparison, SignatureScheme } from './signature-scheme.ts';
import { headerValues } from './signature-values.ts';

export type SignatureEncoding = 'hex' | 'base64' | 'base64url' | 'utf8';

const candidates = ['hex', 'base64', 'base64url'] as const;
/** Where a signature in the body is looked for. */
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
