import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const easypost: Platform = {
  name: 'easypost',
  title: 'EasyPost',
  docsUrl: 'https://docs.easypost.com',
  detect: [
    { anyHeader: ['x-hmac-signature'], order: 20 },
    { json: { description: true, object: 'Event', result: true }, order: 50 },
  ],
  eventType: ['json:description'],
  signatures: [
    hmac('x-hmac-signature', { prefix: 'hmac-sha256-hex=', keyFormat: 'nfkd', bodyVariant: 'float-weights' }),
  ],
  secretHint: 'The webhook_secret you chose when you created the webhook',
};
