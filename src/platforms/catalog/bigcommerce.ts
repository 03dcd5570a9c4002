import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';
import { standardWebhooksIds } from '../shared-delivery-ids.ts';

export const bigcommerce: Platform = {
  name: 'bigcommerce',
  title: 'BigCommerce',
  docsUrl: 'https://developer.bigcommerce.com',
  setup: {
    where: 'the API call POST /v3/hooks, field destination',
    url: 'https://developer.bigcommerce.com/docs/integrations/webhooks',
  },
  detect: [{ json: { scope: /^store\//, producer: /^stores\// }, order: 40 }],
  eventType: ['json:scope'],
  deliveryId: [
    ...standardWebhooksIds,
    { body: 'hash', source: 'https://developer.bigcommerce.com/docs/integrations/webhooks/events' },
  ],
  preview: ['data.type', 'producer', 'data.id'],
  signatures: [standardWebhooks('webhook', { keyFormat: 'text' })],
  secretHint: 'Client secret of the app that created the webhook',
};
