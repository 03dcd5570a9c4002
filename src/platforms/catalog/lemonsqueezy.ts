import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const lemonsqueezy: Platform = {
  name: 'lemonsqueezy',
  title: 'Lemon Squeezy',
  docsUrl: 'https://docs.lemonsqueezy.com',
  setup: { where: 'Settings > Webhooks > Callback URL', url: 'https://docs.lemonsqueezy.com/help/webhooks' },
  detect: [{ allHeaders: ['x-event-name', 'x-signature'], order: 30 }],
  eventType: ['header:x-event-name', 'json:meta.event_name'],
  preview: ['data.attributes.total_formatted', 'data.attributes.user_email', 'data.attributes.status', 'data.id'],
  signatures: [hmac('x-signature')],
  secretHint: 'Settings > Webhooks > the webhook > Signing secret',
};
