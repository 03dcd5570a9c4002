import { keyEndingInEvents } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const x: Platform = {
  name: 'x',
  aliases: ['twitter'],
  title: 'X (Twitter)',
  docsUrl: 'https://docs.x.com',
  detect: [
    { anyHeader: ['x-twitter-webhooks-signature'], order: 20 },
    { methods: ['GET'], query: { crc_token: true }, order: 45 },
  ],
  eventType: [keyEndingInEvents],
  signatures: [hmac('x-twitter-webhooks-signature', { prefix: 'sha256=', encoding: 'base64' })],
  secretHint: 'Developer portal > the app > Keys and tokens > API key secret (consumer secret)',
  handshake: '`GET ?crc_token=`: answered with the registered consumer secret.',
};
