import { type DeliveryReader, valueAt } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck } from '../engine/signature-scheme.ts';
import { decodeBase64, isNonEmptyString } from '../engine/signature-values.ts';
import { utf8 } from '../engine/verifiers/check.ts';
import { isSignedByKey, outcomeOf } from '../engine/verifiers/public-key.ts';

export const awsSns: Platform = {
  name: 'aws-sns',
  title: 'Amazon SNS',
  docsUrl: 'https://docs.aws.amazon.com/sns/',
  detect: [{ anyHeader: ['x-amz-sns-message-type', 'x-amz-sns-topic-arn'], order: 20 }],
  eventType: ['header:x-amz-sns-message-type', 'json:Type'],
  deliveryId: [
    { header: 'x-amz-sns-message-id', source: 'https://docs.aws.amazon.com/sns/latest/dg/http-header.html' },
    { body: 'MessageId', source: 'https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html' },
  ],
  preview: ['Subject', 'Message', 'TopicArn'],
  signatures: [customScheme('aws-sns', verifyMessage, { isPresent: hasSignature, keyFormat: 'public-key' })],
  secretHint: 'The PEM certificate behind the SigningCertURL of a notification',
  notes:
    'A subscription must be confirmed by opening the `SubscribeURL` of the recorded delivery: Hooktape makes no request on its own. Raw message delivery is unsigned.',
};

const notificationFields = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const confirmationFields = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

function hasSignature(reader: DeliveryReader): boolean {
  return isNonEmptyString(valueAt(reader.json(), 'Signature'));
}

/** RSA over the lines `Key\nValue\n` of the fields that are present; version 1 uses SHA-1, version 2 SHA-256. */
function verifyMessage(check: SignatureCheck): Outcome {
  const message = check.reader.json();
  const encoded = valueAt(message, 'Signature');
  const signature = isNonEmptyString(encoded) ? decodeBase64(encoded) : null;
  const version = valueAt(message, 'SignatureVersion');
  const type = valueAt(message, 'Type');
  if (signature === null || !isNonEmptyString(type) || (version !== '1' && version !== '2')) return 'malformed';
  const hash = version === '1' ? 'sha1' : 'sha256';
  // Libraries and documentation disagree on whether the token of an unsubscribe message is signed.
  const fieldLists = type === 'Notification' ? [notificationFields] : [confirmationFields];
  if (type === 'UnsubscribeConfirmation') fieldLists.push(confirmationFields.filter(name => name !== 'Token'));
  const isSigned = fieldLists.some(names => {
    const fields = names
      .map(name => [name, valueAt(message, name)] as const)
      .filter(([, value]) => typeof value === 'string');
    const lines = fields.map(([name, value]) => `${name}\n${value}\n`).join('');
    return isSignedByKey(check, hash, utf8(lines), signature);
  });
  return outcomeOf(check, isSigned);
}
