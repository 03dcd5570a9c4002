import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const dwolla: Platform = {
  name: 'dwolla',
  title: 'Dwolla',
  docsUrl: 'https://developers.dwolla.com',
  detect: [{ anyHeader: ['x-request-signature-sha-256'], order: 26 }],
  eventType: ['json:topic'],
  deliveryId: [{ body: 'id', source: 'https://developers.dwolla.com/docs/working-with-webhooks' }],
  preview: ['resourceId'],
  signatures: [hmac('x-request-signature-sha-256')],
  secretHint: 'The secret you chose when you created the webhook subscription',
};
