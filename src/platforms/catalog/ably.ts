import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const ably: Platform = {
  name: 'ably',
  title: 'Ably',
  docsUrl: 'https://ably.com/docs',
  detect: [{ anyHeader: ['x-ably-signature', 'x-ably-key', 'x-ably-version'], order: 20 }],
  eventType: ['json:items.0.name', 'json:items.0.source', 'json:source'],
  preview: ['items.0.data.name', ['items.0.data.channelId', 'channel']],
  signatures: [hmac('x-ably-signature', { encoding: 'base64', keyFormat: 'after-colon' })],
  secretHint: 'Ably dashboard > the app > API Keys: the whole key named by the X-Ably-Key header',
};
