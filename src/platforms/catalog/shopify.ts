import type { DeliveryReader } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const shopify: Platform = {
  name: 'shopify',
  title: 'Shopify',
  docsUrl: 'https://shopify.dev/docs',
  setup: {
    where: 'Shopify admin > Settings > Notifications > Webhooks > Create webhook > URL',
    url: 'https://help.shopify.com/manual/fulfillment/setup/notifications/webhooks',
  },
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
  eventType: [
    'header:x-shopify-topic',
    { description: '`shopify-topic` and `shopify-action`', read: readTopicAndAction },
  ],
  deliveryId: [
    { header: 'X-Shopify-Webhook-Id', source: 'https://shopify.dev/docs/apps/build/webhooks/verify-deliveries' },
    { header: 'Shopify-Webhook-Id', source: 'https://shopify.dev/docs/apps/build/events/verify-deliveries' },
    { header: 'X-Shopify-Event-Id', source: 'https://shopify.dev/apps/build/webhooks/ignore-duplicates' },
  ],
  preview: [
    ['{total_price} {currency}', '{amount} {currency}'],
    ['{customer.first_name} {customer.last_name}', 'email', 'contact_email', 'customer.email'],
    ['name', 'title', 'handle', 'id'],
    ['financial_status', 'status'],
  ],
  signatures: [
    hmac('x-shopify-hmac-sha256', { alternativeHeaders: [{ header: 'shopify-hmac-sha256' }], encoding: 'base64' }),
  ],
  secretHint: "The app's client secret; for webhooks made in the admin, Settings > Notifications > Webhooks",
  notes: "Deliveries sent manually from the admin are signed with another key and are not valid with the app's secret.",
};

/** The headers without `x-` have topic and action apart. */
function readTopicAndAction(reader: DeliveryReader): string {
  const parts = [reader.header('shopify-topic'), reader.header('shopify-action')];
  return parts.filter(part => part !== undefined && part !== '').join('/');
}
