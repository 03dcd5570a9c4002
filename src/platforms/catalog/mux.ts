import type { Platform } from '../engine/model.ts';
import { timedHmac } from '../engine/schemes.ts';

export const mux: Platform = {
  name: 'mux',
  title: 'Mux',
  docsUrl: 'https://docs.mux.com',
  detect: [{ anyHeader: ['mux-signature'], order: 20 }],
  eventType: ['json:type'],
  signatures: [timedHmac('mux-signature')],
  secretHint: 'Dashboard > Settings > Webhooks > the webhook > Signing secret',
};
