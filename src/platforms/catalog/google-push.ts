import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const googlePush: Platform = {
  name: 'google-push',
  title: 'Google push notifications',
  docsUrl: 'https://developers.google.com/workspace',
  detect: [{ anyHeader: ['x-goog-channel-id', 'x-goog-resource-state', 'x-goog-resource-id'], order: 20 }],
  eventType: ['header:x-goog-resource-state'],
  signatures: [token('x-goog-channel-token')],
  secretHint: 'The token you gave in the watch call',
};
