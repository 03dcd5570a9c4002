import { type DeliveryReader, firstFormValue } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme, hmac } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck } from '../engine/signature-scheme.ts';
import { decodeBase64, isNonEmptyString } from '../engine/signature-values.ts';
import { utf8 } from '../engine/verifiers/check.ts';
import { isSignedByKey, outcomeOf } from '../engine/verifiers/public-key.ts';

export const paddle: Platform = {
  name: 'paddle',
  title: 'Paddle',
  docsUrl: 'https://developer.paddle.com',
  setup: {
    where: 'Developer tools > Notifications > New destination > URL',
    url: 'https://developer.paddle.com/webhooks/notification-destinations',
  },
  detect: [
    { anyHeader: ['paddle-signature'], order: 20 },
    { form: { p_signature: true, alert_name: true }, order: 50 },
  ],
  eventType: ['json:event_type', 'form:alert_name'],
  deliveryId: [{ body: 'event_id', source: 'https://developer.paddle.com/webhooks/about/how-webhooks-work' }],
  preview: [
    ['{data.details.totals.grand_total} {data.details.totals.currency_code}', '{sale_gross} {currency}'],
    ['data.email', 'data.name', 'data.customer_id', 'email'],
    ['data.status', 'status'],
    ['data.id', 'subscription_id', 'order_id'],
  ],
  signatures: [
    hmac('paddle-signature', {
      list: { separator: ';', signature: 'h1', timestamp: 'ts' },
      message: '{ts}:{body}',
      timestamp: { from: 'value:ts', unit: 's', toleranceSeconds: 300 },
    }),
    customScheme('rsa-sha1', verifyClassic, {
      isPresent: hasClassicSignature,
      keyFormat: 'public-key',
      note: 'Paddle Classic',
    }),
  ],
  secretHint: 'Developer tools > Notifications > the destination > Secret key; Paddle Classic: the public key',
  notes:
    "Hooktape allows 300 seconds where Paddle's own library allows 5, because the clocks of two machines can differ by more.",
};

function hasClassicSignature(reader: DeliveryReader): boolean {
  return isNonEmptyString(firstFormValue(reader.form(), 'p_signature'));
}

/** Paddle Classic signs the form fields, sorted by name, as PHP's serialize() writes them. */
function verifyClassic(check: SignatureCheck): Outcome {
  const form = check.reader.form();
  const signature = decodeBase64(firstFormValue(form, 'p_signature') ?? '');
  if (form === null || signature === null) return 'malformed';
  const names = [...form.keys()].filter(name => name !== 'p_signature').sort();
  const serialize = (text: string) => `s:${Buffer.byteLength(text)}:"${text}";`;
  const pairs = names.map(name => serialize(name) + serialize(firstFormValue(form, name) ?? ''));
  const data = utf8(`a:${names.length}:{${pairs.join('')}}`);
  return outcomeOf(check, isSignedByKey(check, 'sha1', data, signature));
}
