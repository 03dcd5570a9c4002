import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const klarna: Platform = {
  name: 'klarna',
  title: 'Klarna',
  docsUrl: 'https://docs.klarna.com',
  detect: [{ anyHeader: ['klarna-signature', 'klarna-signing-key-id'], order: 25 }],
  eventType: ['json:metadata.event_type'],
  signatures: [hmac('klarna-signature', { encoding: 'hex-or-base64' })],
  secretHint: 'signing_key, shown when the key was created; Klarna-Signing-Key-Id identifies the key',
};
