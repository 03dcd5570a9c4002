import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const flutterwave: Platform = {
  name: 'flutterwave',
  title: 'Flutterwave',
  docsUrl: 'https://developer.flutterwave.com',
  detect: [{ anyHeader: ['verif-hash'], order: 26 }],
  eventType: ['json:event'],
  preview: [['data.tx_ref', 'data.reference'], '{data.amount} {data.currency}', 'data.status', 'data.customer.email'],
  signatures: [token('verif-hash')],
  secretHint: 'Settings > Webhooks > Secret hash',
};
