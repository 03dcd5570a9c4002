import type { Platform } from '../engine/platform.ts';

export const chargebee: Platform = {
  name: 'chargebee',
  title: 'Chargebee',
  docsUrl: 'https://apidocs.chargebee.com',
  setup: {
    where: 'Settings > Webhooks > Add Webhook > Webhook URL',
    url: 'https://apidocs.chargebee.com/docs/api/webhooks',
  },
  detect: [{ json: { event_type: true, webhook_status: true, content: true, occurred_at: true }, order: 75 }],
  eventType: ['json:event_type'],
  deliveryId: [{ body: 'id', source: 'https://apidocs.chargebee.com/docs/api/events' }],
  preview: [
    [
      '{content.transaction.amount} {content.transaction.currency_code}',
      '{content.invoice.total} {content.invoice.currency_code}',
    ],
    'content.customer.email',
    ['content.invoice.status', 'content.subscription.status'],
    ['content.invoice.id', 'content.subscription.id', 'content.customer.id'],
  ],
  signatures: [],
  secretHint: null,
};
