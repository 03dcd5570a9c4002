import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const pusher: Platform = {
  name: 'pusher',
  title: 'Pusher Channels',
  docsUrl: 'https://pusher.com/docs',
  detect: [{ anyHeader: ['x-pusher-signature', 'x-pusher-key'], order: 20 }],
  eventType: ['json:events.0.name'],
  preview: ['events.0.channel', 'events.0.event', 'events.0.user_id'],
  signatures: [hmac('x-pusher-signature')],
  secretHint: 'Dashboard > the app > App Keys > secret',
};
