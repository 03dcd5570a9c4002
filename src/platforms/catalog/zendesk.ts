import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const zendesk: Platform = {
  name: 'zendesk',
  title: 'Zendesk',
  docsUrl: 'https://developer.zendesk.com',
  setup: {
    where: 'Admin Center > Apps and integrations > Webhooks > Create webhook > Endpoint URL',
    url: 'https://developer.zendesk.com/documentation/webhooks/creating-and-monitoring-webhooks/',
  },
  detect: [{ anyHeader: ['x-zendesk-webhook-id', 'x-zendesk-webhook-signature', 'x-zendesk-account-id'], order: 20 }],
  eventType: ['json:type'],
  deliveryId: [
    {
      header: 'X-Zendesk-Webhook-Invocation-Id',
      source: 'https://developer.zendesk.com/documentation/webhooks/anatomy-of-a-webhook-request/',
    },
  ],
  preview: [['detail.subject', 'detail.name'], ['#{detail.id}', 'detail.email'], 'detail.status', 'detail.priority'],
  signatures: [
    hmac('x-zendesk-webhook-signature', {
      encoding: 'base64',
      message: '{x-zendesk-webhook-signature-timestamp}{body}',
      timestamp: { from: 'header:x-zendesk-webhook-signature-timestamp', unit: 'rfc3339' },
    }),
  ],
  secretHint: 'Admin Center > Apps and integrations > Webhooks > the webhook > Signing secret',
  notes: 'Test calls of the webhook builder are signed with a fixed, public secret.',
};
