import { shopifyEvent } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const shopify: Platform = {
  name: 'shopify',
  title: 'Shopify',
  docsUrl: 'https://shopify.dev/docs',
  detect: [
    {
      anyHeader: [
        'x-shopify-topic',
        'x-shopify-hmac-sha256',
        'x-shopify-webhook-id',
        'shopify-topic',
        'shopify-hmac-sha256',
      ],
      order: 20,
    },
  ],
  eventType: ['header:x-shopify-topic', shopifyEvent],
  signatures: [
    hmac('x-shopify-hmac-sha256', { alternativeHeaders: [{ header: 'shopify-hmac-sha256' }], encoding: 'base64' }),
  ],
  secretHint: "The app's client secret; for webhooks made in the admin, Settings > Notifications > Webhooks",
  notes: "Deliveries sent by hand from the admin use another key and do not verify with the app's secret.",
};
