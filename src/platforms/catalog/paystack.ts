import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const paystack: Platform = {
  name: 'paystack',
  title: 'Paystack',
  docsUrl: 'https://paystack.com/docs',
  setup: { where: 'Settings > API Keys & Webhooks > Webhook URL', url: 'https://paystack.com/docs/payments/webhooks/' },
  detect: [{ anyHeader: ['x-paystack-signature'], order: 26 }],
  eventType: ['json:event'],
  preview: [
    '{data.amount} {data.currency}',
    'data.customer.email',
    ['data.reference', 'data.subscription_code', 'data.customer_code'],
    'data.status',
  ],
  signatures: [hmac('x-paystack-signature', { hash: 'sha512' })],
  secretHint: 'Settings > API Keys & Webhooks > Secret key',
};
