import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const cal: Platform = {
  name: 'cal',
  title: 'Cal.com',
  docsUrl: 'https://cal.com/docs',
  setup: {
    where: 'Settings > Developer > Webhooks > New > Subscriber URL',
    url: 'https://cal.com/docs/developing/guides/automation/webhooks',
  },
  detect: [{ anyHeader: ['x-cal-signature-256'], order: 26 }],
  eventType: ['json:triggerEvent'],
  preview: ['payload.attendees.0.email', 'payload.title', 'payload.startTime', 'payload.status'],
  signatures: [hmac('x-cal-signature-256')],
  secretHint: 'Settings > Developer > Webhooks > the webhook > Secret',
};
