import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const customerio: Platform = {
  name: 'customerio',
  title: 'Customer.io',
  docsUrl: 'https://customer.io/docs',
  detect: [{ anyHeader: ['x-cio-signature'], order: 26 }],
  eventType: ['json:metric', 'json:object_type'],
  deliveryId: [{ body: 'event_id', source: 'https://docs.customer.io/journeys/webhooks/' }],
  action: ['object_type'],
  preview: [
    ['data.recipient', 'data.identifiers.email', 'data.email_address'],
    'data.subject',
    'data.failure_message',
    'campaign {data.campaign_id}',
  ],
  signatures: [
    hmac('x-cio-signature', {
      message: 'v0:{x-cio-timestamp}:{body}',
      timestamp: { from: 'header:x-cio-timestamp', unit: 's' },
    }),
  ],
  secretHint: 'Data & Integrations > Reporting webhooks > the webhook > Signing key',
};
