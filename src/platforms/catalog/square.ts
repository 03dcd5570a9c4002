import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const square: Platform = {
  name: 'square',
  title: 'Square',
  docsUrl: 'https://developer.squareup.com/docs',
  setup: {
    where: 'Developer Console > the application > Webhooks > Subscriptions > Add subscription > Notification URL',
    url: 'https://developer.squareup.com/docs/webhooks/overview',
  },
  detect: [{ anyHeader: ['x-square-hmacsha256-signature', 'x-square-signature', 'square-environment'], order: 20 }],
  eventType: ['json:type'],
  deliveryId: [{ body: 'event_id', source: 'https://developer.squareup.com/docs/webhooks/step4manage' }],
  preview: [
    [
      '{data.object.payment.amount_money.amount} {data.object.payment.amount_money.currency}',
      '{data.object.refund.amount_money.amount} {data.object.refund.amount_money.currency}',
    ],
    'data.object.customer.email_address',
    [
      'data.object.payment.status',
      'data.object.refund.status',
      'data.object.invoice.status',
      'data.object.order_updated.state',
    ],
    'data.id',
  ],
  signatures: [
    hmac('x-square-hmacsha256-signature', { encoding: 'base64', message: '{url}{body}' }),
    hmac('x-square-signature', { hash: 'sha1', encoding: 'base64', message: '{url}{body}' }),
  ],
  secretHint: 'Developer Console > the application > Webhooks > the subscription > Signature key',
};
