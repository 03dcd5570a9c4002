import { replaceJsonValues } from '../engine/body-fields.ts';
import { type DeliveryReader, valueAt } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme, hmac } from '../engine/schemes.ts';
import { decodeKeys } from '../engine/secrets.ts';
import type { CannotSign, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest, isNonEmptyString } from '../engine/signature-values.ts';
import { cannotSign } from '../engine/signers/task.ts';
import { hmacOf, isMacReceived, scalarText, utf8 } from '../engine/verifiers/check.ts';

export const adyen: Platform = {
  name: 'adyen',
  title: 'Adyen',
  docsUrl: 'https://docs.adyen.com',
  setup: {
    where: 'Customer Area > Developers > Webhooks > Create new webhook > Standard webhook > Server configuration > URL',
    url: 'https://docs.adyen.com/development-resources/webhooks/configure-and-manage',
  },
  detect: [
    { anyHeader: ['hmacsignature'], order: 35 },
    { json: { 'notificationItems.0.NotificationRequestItem': true }, order: 45 },
  ],
  eventType: ['json:notificationItems.0.NotificationRequestItem.eventCode', 'json:type'],
  preview: [
    [
      '{notificationItems.0.NotificationRequestItem.amount.value} {notificationItems.0.NotificationRequestItem.amount.currency}',
      '{data.amount.value} {data.amount.currency}',
    ],
    [
      'notificationItems.0.NotificationRequestItem.merchantReference',
      'data.reference',
      'notificationItems.0.NotificationRequestItem.pspReference',
      'data.id',
    ],
    ['success {notificationItems.0.NotificationRequestItem.success}', 'data.status'],
  ],
  signatures: [
    customScheme('adyen-items', verifyItems, {
      sign: signItems,
      isPresent: hasItemSignature,
      keyFormat: 'hex',
      proves: 'origin',
      note: 'eight fields of each item are signed; all items must pass',
    }),
    hmac('hmacsignature', { encoding: 'base64', keyFormat: 'hex' }),
  ],
  secretHint: 'Customer Area > Developers > Webhooks > the webhook > HMAC key',
  notes:
    'Current Adyen webhooks accept any 2xx response. Old integrations that expect the body `[accepted]` are not supported.',
};

const maxItems = 200;

/** Signed in this order, joined by colons; an absent field is empty. */
const signedFields = [
  'pspReference',
  'originalReference',
  'merchantAccountCode',
  'merchantReference',
  'amount.value',
  'amount.currency',
  'eventCode',
  'success',
] as const;

function hasItemSignature(reader: DeliveryReader): boolean {
  return isNonEmptyString(
    valueAt(reader.json(), 'notificationItems.0.NotificationRequestItem.additionalData.hmacSignature'),
  );
}

function verifyItems(check: SignatureCheck): Outcome {
  const [key] = decodeKeys('hex', check.secret);
  const items = valueAt(check.reader.json(), 'notificationItems');
  if (key === undefined) return 'unsupported';
  if (!Array.isArray(items) || items.length > maxItems) return 'malformed';
  for (const item of items) {
    const request = valueAt(item, 'NotificationRequestItem');
    const signature = valueAt(request, 'additionalData.hmacSignature');
    const digest = isNonEmptyString(signature) ? decodeDigest(signature, 'base64', 'sha256') : null;
    if (digest === null) return 'malformed';
    const message = [messageOfItem(request)];
    if (!isMacReceived(check, { hash: 'sha256', key, message, received: [digest] })) return 'mismatch';
  }
  return 'valid';
}

const messageOfItem = (request: unknown): Buffer =>
  utf8(signedFields.map(path => scalarText(valueAt(request, path))).join(':'));

function signItems({ secret, reader, seal }: SigningTask): SignedParts | CannotSign {
  const [key] = decodeKeys('hex', secret);
  const items = valueAt(reader.json(), 'notificationItems');
  if (key === undefined || !Array.isArray(items) || items.length > maxItems) return cannotSign('the body has no items');
  const signatures = items.map((item, n) => [
    `notificationItems.${n}.NotificationRequestItem.additionalData.hmacSignature`,
    seal(hmacOf('sha256', key, [messageOfItem(valueAt(item, 'NotificationRequestItem'))])).toString('base64'),
  ]);
  const body = replaceJsonValues(reader.delivery.body, Object.fromEntries(signatures));
  return body === null ? cannotSign('an item of the body has no additionalData.hmacSignature') : { body };
}
