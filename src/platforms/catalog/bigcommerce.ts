import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';

export const bigcommerce: Platform = {
  name: 'bigcommerce',
  title: 'BigCommerce',
  docsUrl: 'https://developer.bigcommerce.com',
  detect: [{ json: { scope: /^store\//, producer: /^stores\// }, order: 40 }],
  eventType: ['json:scope'],
  signatures: [standardWebhooks('webhook', { keyFormat: 'text' })],
  secretHint: 'Client secret of the app that created the webhook',
};
