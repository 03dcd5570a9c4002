import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const pagerduty: Platform = {
  name: 'pagerduty',
  title: 'PagerDuty',
  docsUrl: 'https://developer.pagerduty.com',
  setup: {
    where: 'Integrations > Generic Webhooks (v3) > New Webhook > Webhook URL',
    url: 'https://support.pagerduty.com/main/docs/webhooks',
  },
  detect: [{ anyHeader: ['x-pagerduty-signature', 'x-webhook-subscription'], order: 20 }],
  eventType: ['json:event.event_type'],
  deliveryId: [{ body: 'event.id', source: 'https://developer.pagerduty.com/docs/webhooks-overview' }],
  preview: [
    ['event.data.title', 'event.data.summary', 'event.data.content'],
    '#{event.data.number}',
    'event.data.status',
    'event.data.service.summary',
  ],
  signatures: [hmac('x-pagerduty-signature', { list: { separator: ',', signature: 'v1' } })],
  secretHint: 'The secret shown when the webhook subscription was created',
};
