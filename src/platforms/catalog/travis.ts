import { firstFormValue } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { formJson } from '../engine/readers.ts';
import { customScheme } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck } from '../engine/signature-scheme.ts';
import { decodeBase64 } from '../engine/signature-values.ts';
import { utf8 } from '../engine/verifiers/check.ts';
import { firstHeaderValue, isSignedByKey, outcomeOf } from '../engine/verifiers/public-key.ts';

export const travis: Platform = {
  name: 'travis',
  title: 'Travis CI',
  docsUrl: 'https://docs.travis-ci.com',
  detect: [
    { anyHeader: ['travis-repo-slug'], order: 25 },
    { allHeaders: ['signature'], form: { payload: true }, order: 25 },
  ],
  eventType: [formJson('payload', 'state'), formJson('payload', 'type'), formJson('payload', 'status_message')],
  signatures: [customScheme('rsa-sha1', verifyPayload, { header: 'signature', keyFormat: 'public-key' })],
  secretHint: 'config.notifications.webhook.public_key at https://api.travis-ci.com/config',
};

/** RSA over the JSON text in the form field `payload`. */
function verifyPayload(check: SignatureCheck): Outcome {
  const payload = firstFormValue(check.reader.form(), 'payload');
  const signature = decodeBase64(firstHeaderValue(check));
  if (payload === undefined || signature === null) return 'malformed';
  return outcomeOf(check, isSignedByKey(check, 'sha1', utf8(payload), signature));
}
