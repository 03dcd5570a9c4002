import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const razorpay: Platform = {
  name: 'razorpay',
  title: 'Razorpay',
  docsUrl: 'https://razorpay.com/docs',
  setup: {
    where: 'Account & Settings > Website and app settings > Webhooks > Add New Webhook > Webhook URL',
    url: 'https://razorpay.com/docs/webhooks/setup-edit-payments/',
  },
  detect: [{ anyHeader: ['x-razorpay-signature', 'x-razorpay-event-id'], order: 20 }],
  eventType: ['json:event'],
  deliveryId: [
    {
      header: 'X-Razorpay-Event-Id',
      source:
        'https://razorpay.com/docs/payments/payment-gateway/s2s-integration/test-s2s/best-practices/webhooks-and-fetch-apis',
    },
  ],
  preview: [
    [
      '{payload.payment.entity.amount} {payload.payment.entity.currency}',
      '{payload.refund.entity.amount} {payload.refund.entity.currency}',
      '{payload.order.entity.amount} {payload.order.entity.currency}',
      '{payload.invoice.entity.amount} {payload.invoice.entity.currency}',
      '{payload.payment_link.entity.amount} {payload.payment_link.entity.currency}',
    ],
    'payload.payment.entity.email',
    [
      'payload.payment.entity.status',
      'payload.refund.entity.status',
      'payload.order.entity.status',
      'payload.subscription.entity.status',
      'payload.invoice.entity.status',
      'payload.payment_link.entity.status',
    ],
    [
      'payload.payment.entity.id',
      'payload.refund.entity.id',
      'payload.order.entity.id',
      'payload.subscription.entity.id',
      'payload.invoice.entity.id',
      'payload.payment_link.entity.id',
    ],
  ],
  signatures: [hmac('x-razorpay-signature')],
  secretHint: 'Account & Settings > Webhooks > the webhook > Secret',
};
