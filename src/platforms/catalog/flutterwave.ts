import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const flutterwave: Platform = {
  name: 'flutterwave',
  title: 'Flutterwave',
  docsUrl: 'https://developer.flutterwave.com',
  detect: [{ anyHeader: ['verif-hash'], order: 26 }],
  eventType: ['json:event'],
  preview: ['{data.amount} {data.currency}', 'data.customer.email', ['data.tx_ref', 'data.reference'], 'data.status'],
  signatures: [token('verif-hash')],
  secretHint: 'Settings > Webhooks > Secret hash',
};
