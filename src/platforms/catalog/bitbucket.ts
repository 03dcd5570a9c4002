import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const bitbucket: Platform = {
  name: 'bitbucket',
  title: 'Bitbucket Cloud',
  docsUrl: 'https://support.atlassian.com/bitbucket-cloud/',
  detect: [
    { allHeaders: ['x-event-key', 'x-hook-uuid'], order: 22 },
    { userAgent: 'Bitbucket-Webhooks/2.0', order: 22 },
  ],
  eventType: ['header:x-event-key'],
  signatures: [hmac('x-hub-signature', { prefix: 'sha256=' })],
  secretHint: 'Repository settings > Webhooks > the webhook > Secret',
};
