import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const xero: Platform = {
  name: 'xero',
  title: 'Xero',
  docsUrl: 'https://developer.xero.com',
  detect: [{ anyHeader: ['x-xero-signature'], order: 20 }],
  eventType: ['json:events.0.eventCategory', 'json:events.0.eventType'],
  signatures: [hmac('x-xero-signature', { encoding: 'base64' })],
  secretHint: 'Developer portal > the app > Webhooks > Webhooks key',
  handshake:
    'Intent to receive (`events` is empty): 200 when the signature holds, 401 when it does not; needs the webhooks key.',
};
