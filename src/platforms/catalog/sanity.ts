import type { Platform } from '../engine/model.ts';
import { timedHmac } from '../engine/schemes.ts';

export const sanity: Platform = {
  name: 'sanity',
  title: 'Sanity',
  docsUrl: 'https://www.sanity.io/docs',
  detect: [{ anyHeader: ['sanity-webhook-signature', 'sanity-operation', 'sanity-webhook-id'], order: 20 }],
  eventType: ['header:sanity-operation'],
  signatures: [timedHmac('sanity-webhook-signature', { encoding: 'base64url', time: { from: 'value:t', unit: 'ms' } })],
  secretHint: 'API > Webhooks > the webhook > Secret',
};
