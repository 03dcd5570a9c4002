import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const persona: Platform = {
  name: 'persona',
  title: 'Persona',
  docsUrl: 'https://docs.withpersona.com',
  detect: [{ anyHeader: ['persona-signature'], order: 26 }],
  eventType: ['json:data.attributes.name'],
  deliveryId: [{ body: 'data.id', source: 'https://docs.withpersona.com/webhooks' }],
  preview: [
    'data.attributes.payload.data.attributes.status',
    'data.attributes.payload.data.id',
    ['data.attributes.payload.data.attributes.reference-id', 'data.attributes.payload.data.attributes.referenceId'],
  ],
  signatures: [timestampedHmac('persona-signature', { timestamp: { from: 'value:t', unit: 's' } })],
  secretHint: 'Dashboard > Webhooks > the webhook > Secret',
};
