import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const front: Platform = {
  name: 'front',
  title: 'Front',
  docsUrl: 'https://dev.frontapp.com',
  detect: [{ anyHeader: ['x-front-signature'], order: 26 }],
  eventType: ['json:type'],
  preview: [
    ['payload.conversation.subject', 'conversation.subject'],
    ['payload.conversation.status', 'conversation.status'],
    ['payload.id', 'id'],
  ],
  signatures: [
    hmac('x-front-signature', {
      encoding: 'base64',
      message: '{x-front-request-timestamp}:{body}',
      timestamp: { from: 'header:x-front-request-timestamp', unit: 'ms' },
    }),
  ],
  secretHint: 'Settings > Developers > the app > Basic information > Signing key',
};
