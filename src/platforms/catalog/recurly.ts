import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest } from '../engine/signature-values.ts';
import { formatTimestamp, inSignatureHeaders } from '../engine/signers/task.ts';
import { hmacOf, isMacReceived, parseTimestamp, utf8 } from '../engine/verifiers/check.ts';
import { firstHeaderValue } from '../engine/verifiers/public-key.ts';

export const recurly: Platform = {
  name: 'recurly',
  title: 'Recurly',
  docsUrl: 'https://docs.recurly.com',
  detect: [{ anyHeader: ['recurly-signature'], order: 26 }],
  eventType: ['json:event_type', 'json:object_type'],
  preview: ['account_code', ['id', 'uuid']],
  signatures: [
    customScheme('hmac-sha256', verifyPositionalList, { header: 'recurly-signature', sign: signPositionalList }),
  ],
  secretHint: 'Integrations > Webhooks > the endpoint > Secret key',
};

/** The value is a timestamp, then one or more digests. */
function verifyPositionalList(check: SignatureCheck): Outcome {
  const [time, ...texts] = firstHeaderValue(check)
    .split(',', 17)
    .map(part => part.trim());
  const digests = texts.map(text => decodeDigest(text, 'hex', 'sha256')).filter(digest => digest !== null);
  if (parseTimestamp(time, 'auto') === null || digests.length === 0) return 'malformed';
  const message = [`${time}.`, check.reader.delivery.body];
  return isMacReceived(check, { hash: 'sha256', key: utf8(check.secret), message, received: digests })
    ? 'valid'
    : 'mismatch';
}

function signPositionalList(task: SigningTask): SignedParts {
  const [old] = (task.original.header('recurly-signature') ?? '').split(',', 1);
  const time = formatTimestamp(task.at, 'auto', old);
  const digest = task.seal(hmacOf('sha256', utf8(task.secret), [`${time}.`, task.reader.delivery.body]));
  return inSignatureHeaders(task, () => `${time},${digest.toString('hex')}`);
}
