/* Schemes that sign the URL the delivery was sent to, in a message that a template cannot describe. */
import type { Fields } from '../delivery-reader.ts';
import type { MessagePart, Outcome, SignatureCheck } from '../signature-scheme.ts';
import { decodeDigest } from '../signature-values.ts';
import { checkTimestamp, isMacReceived } from './check.ts';
import { firstHeaderValue } from './public-key.ts';

/** HMAC over a message made from the URL. Senders spell the same URL differently; one matching spelling is enough. */
export function verifyHmacOverUrl(
  check: SignatureCheck,
  { encoding, hash, urls }: { encoding: 'hex' | 'base64'; hash: 'sha1' | 'sha256'; urls: readonly string[] },
  message: (url: string) => MessagePart[],
): Outcome {
  if (urls.length === 0) return 'unsupported';
  const digest = decodeDigest(firstHeaderValue(check), encoding, hash);
  if (digest === null) return 'malformed';
  const key = Buffer.from(check.secret, 'utf8');
  for (const url of new Set(urls)) {
    if (isMacReceived(check, { hash, key, message: message(url), received: [digest] })) return checkTimestamp(check);
  }
  return 'mismatch';
}

/** Name and value of each field, sorted by name in code units; `distinct` also sorts repeated values and drops duplicates. */
export function sortedFormFields(form: Fields, { distinct = false } = {}): string {
  let text = '';
  for (const name of [...form.keys()].sort()) {
    const values = form.get(name) ?? [];
    for (const value of distinct ? [...new Set(values)].sort() : values) text += name + value;
  }
  return text;
}

export const parseUrl = (url: string): URL | null => (URL.canParse(url) ? new URL(url) : null);
