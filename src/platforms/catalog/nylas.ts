import { echoQueryParameter } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const nylas: Platform = {
  name: 'nylas',
  title: 'Nylas',
  docsUrl: 'https://developer.nylas.com',
  detect: [{ anyHeader: ['x-nylas-signature'], order: 26 }],
  eventType: ['json:type'],
  deliveryId: [{ body: 'id', source: 'https://developer.nylas.com/docs/v3/notifications/' }],
  preview: [
    ['data.object.from.0.email', 'data.object.email'],
    ['data.object.subject', 'data.object.title'],
    ['data.object.id', 'data.object.grant_id'],
  ],
  signatures: [hmac('x-nylas-signature')],
  secretHint: 'webhook_secret in the answer of the call that created the webhook',
  handshakes: [echoQueryParameter('challenge')],
};
