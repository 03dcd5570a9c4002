import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const webex: Platform = {
  name: 'webex',
  title: 'Webex',
  docsUrl: 'https://developer.webex.com',
  detect: [{ anyHeader: ['x-spark-signature'], order: 26 }],
  eventType: ['json:resource', 'json:event'],
  action: ['event'],
  preview: ['data.personEmail', 'name', 'data.id'],
  signatures: [hmac('x-spark-signature', { hash: 'sha1' })],
  secretHint: 'The secret you gave when you created the webhook',
};
