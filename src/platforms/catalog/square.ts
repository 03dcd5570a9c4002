import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const square: Platform = {
  name: 'square',
  title: 'Square',
  docsUrl: 'https://developer.squareup.com/docs',
  detect: [{ anyHeader: ['x-square-hmacsha256-signature', 'x-square-signature', 'square-environment'], order: 20 }],
  eventType: ['json:type'],
  signatures: [
    hmac('x-square-hmacsha256-signature', { encoding: 'base64', message: '{url}{body}' }),
    hmac('x-square-signature', { hash: 'sha1', encoding: 'base64', message: '{url}{body}' }),
  ],
  secretHint: 'Developer Console > the application > Webhooks > the subscription > Signature key',
};
