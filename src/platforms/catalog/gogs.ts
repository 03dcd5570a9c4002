import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { forgePreview } from '../shared-previews.ts';

export const gogs: Platform = {
  name: 'gogs',
  title: 'Gogs',
  docsUrl: 'https://gogs.io/docs',
  detect: [{ anyHeader: ['x-gogs-event', 'x-gogs-delivery'], absentHeaders: ['x-gitea-event'], order: 23 }],
  eventType: ['header:x-gogs-event'],
  deliveryId: [{ header: 'X-Gogs-Delivery', source: 'https://gogs.io/docs/features/webhook' }],
  action: ['action'],
  preview: forgePreview,
  signatures: [hmac('x-gogs-signature')],
  secretHint: 'Repository settings > Webhooks > the webhook > Secret',
};
