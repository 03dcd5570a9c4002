import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const coinbaseCommerce: Platform = {
  name: 'coinbase-commerce',
  title: 'Coinbase Commerce',
  docsUrl: 'https://docs.cdp.coinbase.com',
  detect: [{ anyHeader: ['x-cc-webhook-signature'], order: 20 }],
  eventType: ['json:event.type'],
  deliveryId: [{ body: 'event.id', source: 'https://github.com/coinbase/coinbase-commerce-node' }],
  preview: [
    '{event.data.pricing.local.amount} {event.data.pricing.local.currency}',
    'event.data.name',
    'event.data.code',
  ],
  signatures: [hmac('x-cc-webhook-signature')],
  secretHint: 'Settings > Notifications > Webhook subscriptions > Show shared secret',
};
