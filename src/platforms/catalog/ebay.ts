import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const ebay: Platform = {
  name: 'ebay',
  title: 'eBay',
  docsUrl: 'https://developer.ebay.com',
  detect: [
    { anyHeader: ['x-ebay-signature'], order: 26 },
    { methods: ['GET'], query: { challenge_code: /^[\w-]{16,128}$/ }, order: 45 },
  ],
  eventType: ['json:metadata.topic'],
  signatures: [customScheme('ebay', 'x-ebay-signature', { keyFormat: 'public-key' })],
  secretHint:
    'For deliveries the public key named by kid in the signature; for the challenge the verification token you chose',
  takesVerifyToken: true,
  handshake: '`GET ?challenge_code=`: answered with the registered verification token.',
};
