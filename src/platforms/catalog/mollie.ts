import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const mollie: Platform = {
  name: 'mollie',
  title: 'Mollie',
  docsUrl: 'https://docs.mollie.com',
  setup: {
    where: 'Dashboard > Developers > Webhooks > Create webhook > URL; or webhookUrl of each payment in the API',
    url: 'https://docs.mollie.com/reference/webhooks-new',
  },
  detect: [
    { anyHeader: ['x-mollie-signature'], order: 25 },
    { form: { id: /^(tr|ord|sub|cst|mdt|re|chb|pl|stl|cap)_\w+$/ }, keyCount: 1, order: 50 },
  ],
  eventType: ['json:type', 'form:id'],
  deliveryId: [
    {
      body: { description: 'JSON `id`; the form has only the id of a payment', read: reader => reader.jsonValue('id') },
      source: 'https://docs.mollie.com/reference/webhooks-new',
    },
  ],
  preview: [
    '{_embedded.entity.amount.value} {_embedded.entity.amount.currency}',
    '_embedded.entity.description',
    '_embedded.entity.status',
    ['entityId', 'id'],
  ],
  signatures: [hmac('x-mollie-signature', { prefix: 'sha256=' })],
  secretHint: 'Dashboard > Developers > Webhooks > the webhook > Signing secret',
};
