import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const clickup: Platform = {
  name: 'clickup',
  title: 'ClickUp',
  docsUrl: 'https://developer.clickup.com',
  detect: [{ allHeaders: ['x-signature'], json: { webhook_id: true, event: true }, order: 35 }],
  eventType: ['json:event'],
  signatures: [hmac('x-signature')],
  secretHint: 'secret in the answer of the call that created the webhook',
};
