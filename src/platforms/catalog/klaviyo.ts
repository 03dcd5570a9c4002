import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const klaviyo: Platform = {
  name: 'klaviyo',
  title: 'Klaviyo',
  docsUrl: 'https://developers.klaviyo.com',
  detect: [{ anyHeader: ['klaviyo-signature'], order: 26 }],
  eventType: ['json:data.0.type'],
  signatures: [
    hmac('klaviyo-signature', {
      message: '{body}{klaviyo-timestamp}',
      timestamp: { from: 'header:klaviyo-timestamp', unit: 'http-date' },
    }),
  ],
  secretHint: 'The secret you chose when you created the webhook',
};
