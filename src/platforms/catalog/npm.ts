import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const npm: Platform = {
  name: 'npm',
  title: 'npm hooks',
  docsUrl: 'https://docs.npmjs.com',
  detect: [{ anyHeader: ['x-npm-signature'], order: 20 }],
  eventType: ['json:event'],
  preview: ['name', ['change.version', 'version'], 'change.user'],
  signatures: [hmac('x-npm-signature', { prefix: 'sha256=' })],
  secretHint: 'The secret you chose when you added the hook',
};
