import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const paystack: Platform = {
  name: 'paystack',
  title: 'Paystack',
  docsUrl: 'https://paystack.com/docs',
  detect: [{ anyHeader: ['x-paystack-signature'], order: 26 }],
  eventType: ['json:event'],
  signatures: [hmac('x-paystack-signature', { hash: 'sha512' })],
  secretHint: 'Settings > API Keys & Webhooks > Secret key',
};
