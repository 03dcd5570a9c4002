import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const notion: Platform = {
  name: 'notion',
  title: 'Notion',
  docsUrl: 'https://developers.notion.com',
  detect: [
    { anyHeader: ['x-notion-signature'], order: 20 },
    { json: { verification_token: true }, keyCount: 1, order: 50 },
  ],
  eventType: ['json:type'],
  signatures: [hmac('x-notion-signature', { prefix: 'sha256=' })],
  secretHint:
    'Learned from the handshake: the verification_token of the first delivery, which you also paste at Notion',
  handshake:
    "The delivery with the `verification_token`: the token becomes the endpoint's Notion secret, which a person has to confirm.",
};
