import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const nylas: Platform = {
  name: 'nylas',
  title: 'Nylas',
  docsUrl: 'https://developer.nylas.com',
  detect: [{ anyHeader: ['x-nylas-signature'], order: 26 }],
  eventType: ['json:type'],
  signatures: [hmac('x-nylas-signature')],
  secretHint: 'webhook_secret in the answer of the call that created the webhook',
  handshake: '`GET ?challenge=`: the challenge is sent back.',
};
