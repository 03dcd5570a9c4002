import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const calendly: Platform = {
  name: 'calendly',
  title: 'Calendly',
  docsUrl: 'https://developer.calendly.com',
  setup: {
    where: 'the API call POST /webhook_subscriptions, field url',
    url: 'https://developer.calendly.com/api-docs/overview/examples/webhooks',
  },
  detect: [{ anyHeader: ['calendly-webhook-signature'], order: 20 }],
  eventType: ['json:event'],
  preview: [
    'payload.email',
    'payload.name',
    ['payload.scheduled_event.name', 'payload.event_type.name'],
    ['payload.scheduled_event.start_time', 'payload.status'],
  ],
  signatures: [
    timestampedHmac('calendly-webhook-signature', { timestamp: { from: 'value:t', unit: 's', toleranceSeconds: 180 } }),
  ],
  secretHint: 'signing_key given when the webhook subscription was created',
};
