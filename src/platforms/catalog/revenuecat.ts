import type { Platform } from '../engine/platform.ts';
import { timestampedHmac, token } from '../engine/schemes.ts';

export const revenuecat: Platform = {
  name: 'revenuecat',
  title: 'RevenueCat',
  docsUrl: 'https://www.revenuecat.com/docs',
  setup: {
    where: 'Integrations > New > Webhooks > Webhook URL',
    url: 'https://www.revenuecat.com/docs/integrations/webhooks',
  },
  detect: [
    { anyHeader: ['x-revenuecat-webhook-signature'], order: 30 },
    { json: { api_version: true, 'event.type': true, 'event.app_user_id': true }, order: 45 },
  ],
  eventType: ['json:event.type'],
  deliveryId: [
    { body: 'event.id', source: 'https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields' },
  ],
  preview: [
    '{event.price_in_purchased_currency} {event.currency}',
    'event.store',
    'event.app_user_id',
    'event.product_id',
  ],
  signatures: [token('authorization'), timestampedHmac('x-revenuecat-webhook-signature')],
  secretHint: 'Integrations > Webhooks: the authorization header value, or the signing secret',
};
