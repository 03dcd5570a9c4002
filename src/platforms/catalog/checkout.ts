import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const checkout: Platform = {
  name: 'checkout',
  title: 'Checkout.com',
  docsUrl: 'https://www.checkout.com/docs',
  detect: [{ anyHeader: ['cko-signature'], order: 26 }],
  eventType: ['json:type'],
  deliveryId: [{ body: 'id', source: 'https://api-reference.checkout.com/' }],
  preview: ['{data.amount} {data.currency}', 'data.response_summary', 'data.reference', 'data.id'],
  signatures: [hmac('cko-signature')],
  secretHint: 'Dashboard > Developers > Webhooks > the webhook > Signature key',
};
