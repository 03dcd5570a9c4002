import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const woocommerce: Platform = {
  name: 'woocommerce',
  title: 'WooCommerce',
  docsUrl: 'https://woocommerce.com/documentation/',
  setup: {
    where: 'WooCommerce > Settings > Advanced > Webhooks > Add webhook > Delivery URL',
    url: 'https://woocommerce.com/document/webhooks/',
  },
  detect: [
    { anyHeader: ['x-wc-webhook-topic', 'x-wc-webhook-signature', 'x-wc-webhook-source'], order: 20 },
    { userAgent: 'WooCommerce/', form: { webhook_id: /^\d+$/ }, keyCount: 1, order: 50 },
  ],
  eventType: ['header:x-wc-webhook-topic'],
  deliveryId: [
    { header: 'X-WC-Webhook-Delivery-ID', source: 'https://woocommerce.github.io/woocommerce-rest-api-docs/#webhooks' },
  ],
  preview: ['{total} {currency}', ['billing.email', 'email'], ['#{number}', 'name', 'username'], 'status'],
  signatures: [hmac('x-wc-webhook-signature', { encoding: 'base64' })],
  secretHint: 'WooCommerce > Settings > Advanced > Webhooks > the webhook > Secret',
};
