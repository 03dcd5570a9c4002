import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const contentful: Platform = {
  name: 'contentful',
  title: 'Contentful',
  docsUrl: 'https://www.contentful.com/developers/docs/',
  detect: [{ anyHeader: ['x-contentful-topic', 'x-contentful-webhook-name', 'x-contentful-signature'], order: 20 }],
  eventType: ['header:x-contentful-topic'],
  signatures: [
    customScheme('contentful', 'x-contentful-signature', {
      time: { from: 'header:x-contentful-timestamp', unit: 'ms', toleranceSeconds: 30 },
    }),
  ],
  secretHint: 'Settings > Webhooks > Settings > Signing secret (64 characters)',
};
