import type { Platform } from '../engine/platform.ts';
import { publicKey } from '../engine/schemes.ts';

export const circle: Platform = {
  name: 'circle',
  title: 'Circle',
  docsUrl: 'https://developers.circle.com',
  detect: [{ anyHeader: ['x-circle-signature', 'x-circle-key-id'], order: 20 }],
  eventType: ['json:notificationType'],
  signatures: [publicKey('x-circle-signature', 'public-key')],
  secretHint: 'The public key for the X-Circle-Key-Id header, fetched once with your API key',
};
