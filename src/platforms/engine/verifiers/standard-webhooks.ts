/* Standard Webhooks: `{id}.{timestamp}.{body}`, signed with HMAC-SHA256 (`v1`) or Ed25519 (`v1a`). */
import type { DeliveryReader } from '../delivery-reader.ts';
import { decodeKeys } from '../secrets.ts';
import type { Outcome, SignatureCheck, SignatureScheme } from '../signature-scheme.ts';
import { decodeBase64, decodeDigest, headerValues, versionedSignatures } from '../signature-values.ts';
import { checkTimestamp, isMacReceived, parseTimestamp } from './check.ts';
import { isSignedByKey } from './public-key.ts';

/** `headerPrefix`: the common prefix of the names of the id, timestamp and signature headers. */
export type StandardWebhooksVariant = { headerPrefix: string; version: string };

export function verifyStandardWebhooks(check: SignatureCheck, variant: StandardWebhooksVariant): Outcome {
  const { scheme, reader } = check;
  const prefix = messagePrefix(reader, variant);
  if (prefix === null) return 'malformed';
  const texts = headerValues(scheme, reader)
    .flatMap(({ value }) => versionedSignatures(value))
    .filter(([version]) => version === variant.version)
    .map(([, text]) => text.replace(/,$/, ''));
  return scheme.keyFormat === 'ed25519' ? verifyEd25519(check, prefix, texts) : verifyMac(check, prefix, texts);
}

function verifyMac(check: SignatureCheck, prefix: string, texts: readonly string[]): Outcome {
  const digests = texts.map(text => decodeDigest(text, 'base64', 'sha256')).filter(digest => digest !== null);
  if (digests.length === 0) return 'malformed';
  const message = [prefix, check.reader.delivery.body];
  for (const key of decodeKeys(check.scheme.keyFormat, check.secret)) {
    if (isMacReceived(check, { hash: 'sha256', key, message, received: digests })) return checkTimestamp(check);
  }
  return 'mismatch';
}

function verifyEd25519(check: SignatureCheck, prefix: string, texts: readonly string[]): Outcome {
  const data = Buffer.concat([Buffer.from(prefix, 'latin1'), check.reader.delivery.body]);
  const signatures = texts
    .map(decodeBase64)
    .filter((signature): signature is Buffer => signature !== null && signature.length === 64);
  if (signatures.length === 0) return 'malformed';
  return signatures.some(signature => isSignedByKey(check, null, data, signature)) ? checkTimestamp(check) : 'mismatch';
}

/** An entry of another version belongs to another scheme. */
export const hasStandardWebhooksEntry = (reader: DeliveryReader, scheme: SignatureScheme, version: string): boolean =>
  headerValues(scheme, reader).some(({ value }) => versionedSignatures(value).some(([name]) => name === version));

/** The part of the message before the body; null if a header is missing or malformed. */
function messagePrefix(reader: DeliveryReader, { headerPrefix }: StandardWebhooksVariant): string | null {
  const id = reader.header(`${headerPrefix}-id`);
  const time = reader.header(`${headerPrefix}-timestamp`)?.trim();
  return id === undefined || id === '' || parseTimestamp(time, 's') === null ? null : `${id}.${time}.`;
}
