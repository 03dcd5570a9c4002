import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const sanity: Platform = {
  name: 'sanity',
  title: 'Sanity',
  docsUrl: 'https://www.sanity.io/docs',
  detect: [{ anyHeader: ['sanity-webhook-signature', 'sanity-operation', 'sanity-webhook-id'], order: 20 }],
  eventType: ['header:sanity-operation'],
  deliveryId: [{ header: 'Idempotency-Key', source: 'https://www.sanity.io/docs/webhooks' }],
  action: ['_type'],
  preview: [['title', 'name', 'slug.current'], '_type', '_id'],
  signatures: [
    timestampedHmac('sanity-webhook-signature', { encoding: 'base64url', timestamp: { from: 'value:t', unit: 'ms' } }),
  ],
  secretHint: 'API > Webhooks > the webhook > Secret',
};
