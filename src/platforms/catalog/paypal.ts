import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import { splitPair } from '../engine/secrets.ts';
import type { Outcome, SignatureCheck } from '../engine/signature-scheme.ts';
import { decodeBase64 } from '../engine/signature-values.ts';
import { utf8 } from '../engine/verifiers/check.ts';
import { firstHeaderValue, isSignedByKey, outcomeOf } from '../engine/verifiers/public-key.ts';

export const paypal: Platform = {
  name: 'paypal',
  title: 'PayPal',
  docsUrl: 'https://developer.paypal.com',
  setup: {
    where: 'Developer Dashboard > Apps & Credentials > the app > Webhooks > Add Webhook > Webhook URL',
    url: 'https://developer.paypal.com/api/rest/webhooks/',
  },
  detect: [
    {
      anyHeader: ['paypal-transmission-id', 'paypal-transmission-sig', 'paypal-auth-algo', 'paypal-cert-url'],
      order: 20,
    },
  ],
  eventType: ['json:event_type'],
  deliveryId: [{ body: 'id', source: 'https://developer.paypal.com/docs/api/webhooks/v1/' }],
  preview: [
    ['{resource.amount.value} {resource.amount.currency_code}', '{resource.amount.total} {resource.amount.currency}'],
    'summary',
    ['resource.status', 'resource.state'],
    'resource.id',
  ],
  signatures: [
    customScheme('paypal', verifyTransmission, {
      header: 'paypal-transmission-sig',
      keyFormat: 'id-and-certificate',
      proves: 'origin',
      note: 'the body is covered by a CRC-32 only',
    }),
  ],
  secretHint:
    'Developer dashboard > the app > Webhooks > Webhook ID, a bar, and the PEM certificate behind the PayPal-Cert-Url header',
};

/** RSA over id, time, webhook id and the CRC-32 of the body. */
function verifyTransmission(check: SignatureCheck): Outcome {
  const { reader } = check;
  const pair = splitPair(check.secret);
  const id = reader.header('paypal-transmission-id');
  const time = reader.header('paypal-transmission-time');
  const signature = decodeBase64(firstHeaderValue(check));
  if (pair === null) return 'unsupported';
  if (id === undefined || time === undefined || signature === null) return 'malformed';
  const data = utf8(`${id}|${time}|${pair.left}|${Bun.hash.crc32(reader.delivery.body)}`);
  return outcomeOf(check, isSignedByKey({ ...check, secret: pair.right }, 'sha256', data, signature));
}
