import type { Platform } from '../engine/model.ts';
import { publicKey } from '../engine/schemes.ts';

export const discord: Platform = {
  name: 'discord',
  title: 'Discord',
  docsUrl: 'https://discord.com/developers/docs',
  detect: [{ allHeaders: ['x-signature-ed25519', 'x-signature-timestamp'], order: 20 }],
  eventType: ['json:event.type', 'json:type'],
  signatures: [
    publicKey('x-signature-ed25519', 'ed25519', {
      message: '{x-signature-timestamp}{body}',
      time: { from: 'header:x-signature-timestamp', unit: 's' },
    }),
  ],
  secretHint: 'Developer Portal > the application > General Information > Public Key',
  handshake:
    '`PING` of interactions and of webhook events: answered when the signature holds, 401 when it does not; needs the public key.',
};
