import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const workos: Platform = {
  name: 'workos',
  title: 'WorkOS',
  docsUrl: 'https://workos.com/docs',
  detect: [{ anyHeader: ['workos-signature'], order: 20 }],
  eventType: ['json:event'],
  deliveryId: [{ body: 'id', source: 'https://workos.com/docs/events/data-syncing/webhooks' }],
  preview: [
    ['data.email', 'data.username', 'data.name'],
    ['data.state', 'data.status'],
    'data.id',
    'data.organization_id',
  ],
  signatures: [
    timestampedHmac('workos-signature', { timestamp: { from: 'value:t', unit: 'ms', toleranceSeconds: 180 } }),
  ],
  secretHint: 'Dashboard > Webhooks > the endpoint > Signing secret',
};
