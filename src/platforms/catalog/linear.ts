import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const linear: Platform = {
  name: 'linear',
  title: 'Linear',
  docsUrl: 'https://linear.app/developers',
  setup: { where: 'Settings > API > Webhooks > New webhook > URL', url: 'https://linear.app/developers/webhooks' },
  detect: [{ anyHeader: ['linear-signature', 'linear-event', 'linear-delivery'], order: 20 }],
  eventType: ['header:linear-event', 'json:type', 'json:action'],
  deliveryId: [{ header: 'Linear-Delivery', source: 'https://linear.app/developers/webhooks' }],
  action: ['action'],
  preview: [
    ['data.title', 'data.name', 'data.issue.title', 'data.body'],
    ['data.identifier', 'data.issue.identifier'],
    'action',
    ['data.state.name', 'actor.name'],
  ],
  signatures: [
    hmac('linear-signature', { timestamp: { from: 'json:webhookTimestamp', unit: 'ms', toleranceSeconds: 60 } }),
  ],
  secretHint: 'Settings > API > Webhooks > the webhook > Signing secret',
};
