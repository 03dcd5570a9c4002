import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const tiktok: Platform = {
  name: 'tiktok',
  title: 'TikTok for Developers',
  docsUrl: 'https://developers.tiktok.com',
  detect: [{ anyHeader: ['tiktok-signature'], order: 26 }],
  eventType: ['json:event'],
  preview: ['content', 'user_openid', 'client_key'],
  signatures: [
    hmac('tiktok-signature', {
      list: { separator: ',', signature: 's', timestamp: 't' },
      message: '{t}.{body}',
      timestamp: { from: 'value:t', unit: 's' },
    }),
  ],
  secretHint: 'Developer portal > the app > Client secret',
};
