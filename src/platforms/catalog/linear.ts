import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const linear: Platform = {
  name: 'linear',
  title: 'Linear',
  docsUrl: 'https://linear.app/developers',
  detect: [{ anyHeader: ['linear-signature', 'linear-event', 'linear-delivery'], order: 20 }],
  eventType: ['header:linear-event', 'json:type', 'json:action'],
  signatures: [
    hmac('linear-signature', { timestamp: { from: 'json:webhookTimestamp', unit: 'ms', toleranceSeconds: 60 } }),
  ],
  secretHint: 'Settings > API > Webhooks > the webhook > Signing secret',
};
