import type { Platform } from '../engine/platform.ts';
import { standardWebhooks } from '../engine/schemes.ts';
import { standardWebhooksIds } from '../shared-delivery-ids.ts';

export const resend: Platform = {
  name: 'resend',
  title: 'Resend',
  docsUrl: 'https://resend.com/docs',
  setup: {
    where: 'Webhooks > Add Webhook > Endpoint URL',
    url: 'https://resend.com/docs/dashboard/webhooks/introduction',
  },
  detect: [
    { allHeaders: ['svix-id'], json: { type: /^(email|contact|domain)\./, created_at: true, data: true }, order: 60 },
  ],
  eventType: ['json:type'],
  deliveryId: standardWebhooksIds,
  preview: [
    'data.to.0',
    'data.subject',
    ['data.bounce.message', 'data.email', 'data.name'],
    ['data.email_id', 'data.id'],
  ],
  signatures: [standardWebhooks('svix'), standardWebhooks('webhook')],
  secretHint: 'Webhooks > the webhook > Signing secret',
};
