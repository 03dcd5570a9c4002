import { replaceFormFields, replaceJsonValues } from '../engine/body-fields.ts';
import { type DeliveryReader, firstFormValue, valueAt } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { CannotSign, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest, isNonEmptyString } from '../engine/signature-values.ts';
import { cannotSign, formatTimestamp } from '../engine/signers/task.ts';
import { hmacOf, isMacReceived, scalarText, utf8 } from '../engine/verifiers/check.ts';

export const mailgun: Platform = {
  name: 'mailgun',
  title: 'Mailgun',
  docsUrl: 'https://documentation.mailgun.com',
  setup: {
    where: 'Send > Sending > Webhooks > Add webhook > URL',
    url: 'https://documentation.mailgun.com/docs/mailgun/user-manual/events/webhooks',
  },
  detect: [
    {
      json: { 'event-data': true, 'signature.signature': true, 'signature.timestamp': true, 'signature.token': true },
      order: 45,
    },
    { form: { signature: /^[0-9a-f]{64}$/, timestamp: /^\d+$/, token: true }, order: 45 },
  ],
  eventType: ['json:event-data.event', 'form:event'],
  deliveryId: [
    { body: 'event-data.id', source: 'https://documentation.mailgun.com/docs/mailgun/user-manual/events/events' },
  ],
  action: ['event-data.severity'],
  preview: [
    ['event-data.recipient', 'recipient'],
    ['event-data.message.headers.subject', 'subject'],
    'event-data.delivery-status.message',
    ['event-data.severity', 'event-data.reason', 'sender'],
  ],
  signatures: [
    customScheme('mailgun', verifyTimestampAndToken, {
      sign: signTimestampAndToken,
      isPresent: hasSignature,
      proves: 'origin',
      note: 'only timestamp and token are signed, not the event',
    }),
  ],
  secretHint: 'Sending > Webhooks > HTTP webhook signing key',
};

function hasSignature(reader: DeliveryReader): boolean {
  return (
    isNonEmptyString(valueAt(reader.json(), 'signature.signature')) ||
    isNonEmptyString(firstFormValue(reader.form(), 'signature'))
  );
}

/** `parent-signature` is made with the key of the parent account. */
function verifyTimestampAndToken(check: SignatureCheck): Outcome {
  const { reader } = check;
  const inJson = valueAt(reader.json(), 'signature');
  const read = (name: string): unknown => valueAt(inJson, name) ?? firstFormValue(reader.form(), name);
  const digests = [read('signature'), read('parent-signature')]
    .map(text => (isNonEmptyString(text) ? decodeDigest(text, 'hex', 'sha256') : null))
    .filter(digest => digest !== null);
  if (digests.length === 0) return 'malformed';
  const message = [utf8(`${scalarText(read('timestamp'))}${scalarText(read('token'))}`)];
  return isMacReceived(check, { hash: 'sha256', key: utf8(check.secret), message, received: digests })
    ? 'valid'
    : 'mismatch';
}

/** A receiver accepts each token once, so a new delivery id means a new token. */
function signTimestampAndToken({ secret, reader, at, isNewId, newId, seal }: SigningTask): SignedParts | CannotSign {
  const inJson = valueAt(reader.json(), 'signature');
  const old = scalarText(valueAt(inJson, 'token') ?? firstFormValue(reader.form(), 'token'));
  const token = isNewId ? newId(old) : old;
  const timestamp = formatTimestamp(at, 's');
  const signature = seal(hmacOf('sha256', utf8(secret), [utf8(timestamp + token)])).toString('hex');
  const fields = { timestamp, token, signature };
  const body =
    inJson === undefined
      ? replaceFormFields(reader, fields)
      : replaceJsonValues(
          reader.delivery.body,
          Object.fromEntries(Object.entries(fields).map(([name, value]) => [`signature.${name}`, value])),
        );
  return body === null ? cannotSign('the body has no timestamp, token and signature') : { body };
}
