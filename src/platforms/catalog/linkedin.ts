import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const linkedin: Platform = {
  name: 'linkedin',
  title: 'LinkedIn',
  docsUrl: 'https://learn.microsoft.com/linkedin/',
  detect: [
    { anyHeader: ['x-li-signature'], order: 26 },
    { methods: ['GET'], query: { challengecode: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i }, order: 45 },
  ],
  eventType: ['json:type'],
  signatures: [hmac('x-li-signature', { message: 'hmacsha256={body}' })],
  secretHint: 'Developer portal > the app > Auth > Client secret',
  handshake: '`GET ?challengeCode=` (a UUID): answered with the registered client secret.',
};
