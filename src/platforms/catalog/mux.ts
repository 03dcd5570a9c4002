import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const mux: Platform = {
  name: 'mux',
  title: 'Mux',
  docsUrl: 'https://docs.mux.com',
  detect: [{ anyHeader: ['mux-signature'], order: 20 }],
  eventType: ['json:type'],
  deliveryId: [{ body: 'id', source: 'https://www.mux.com/docs/core/listen-for-webhooks' }],
  preview: ['data.status', 'data.passthrough', 'environment.name', ['object.id', 'data.id']],
  signatures: [timestampedHmac('mux-signature')],
  secretHint: 'Dashboard > Settings > Webhooks > the webhook > Signing secret',
};
