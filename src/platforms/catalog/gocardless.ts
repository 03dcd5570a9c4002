import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const gocardless: Platform = {
  name: 'gocardless',
  title: 'GoCardless',
  docsUrl: 'https://developer.gocardless.com',
  setup: { where: 'Developers > Create > Webhook endpoint > URL', url: 'https://developer.gocardless.com' },
  detect: [
    {
      allHeaders: ['webhook-signature'],
      absentHeaders: ['webhook-id', 'webhook-timestamp'],
      json: { 'events.0.resource_type': true, 'meta.webhook_id': true },
      order: 30,
    },
    {
      allHeaders: ['webhook-signature'],
      absentHeaders: ['webhook-id', 'webhook-timestamp'],
      userAgent: 'gocardless-webhook-service/',
      order: 30,
    },
  ],
  eventType: ['json:events.0.resource_type', 'json:events.0.action'],
  deliveryId: [
    { body: 'meta.webhook_id', source: 'https://developer.gocardless.com/api-reference/#appendix-webhooks' },
  ],
  action: ['events.0.action'],
  preview: [
    'events.0.action',
    [
      'events.0.links.payment',
      'events.0.links.subscription',
      'events.0.links.mandate',
      'events.0.links.payout',
      'events.0.links.refund',
      'events.0.id',
    ],
    'events.0.details.cause',
  ],
  signatures: [hmac('webhook-signature')],
  secretHint: 'Developers > Webhook endpoints > the endpoint > Secret',
};
