import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const squarespace: Platform = {
  name: 'squarespace',
  title: 'Squarespace',
  docsUrl: 'https://developers.squarespace.com',
  detect: [
    { anyHeader: ['squarespace-signature'], order: 20 },
    { json: { websiteId: true, subscriptionId: true, topic: true }, order: 50 },
  ],
  eventType: ['json:topic'],
  deliveryId: [{ body: 'id', source: 'https://developers.squarespace.com/webhooks/overview' }],
  preview: ['data.update', 'data.orderId', 'websiteId'],
  signatures: [hmac('squarespace-signature', { keyFormat: 'hex' })],
  secretHint: 'secret in the answer of the call that created the subscription',
};
