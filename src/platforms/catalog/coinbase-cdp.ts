import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const coinbaseCdp: Platform = {
  name: 'coinbase-cdp',
  title: 'Coinbase Developer Platform (Hook0)',
  docsUrl: 'https://docs.cdp.coinbase.com',
  detect: [{ anyHeader: ['x-hook0-signature'], order: 20 }],
  eventType: ['json:type', 'json:eventType'],
  signatures: [
    customScheme('hook0', 'x-hook0-signature', { time: { from: 'value:t', unit: 's', toleranceSeconds: 300 } }),
  ],
  secretHint: 'metadata.secret in the answer of the call that created the subscription',
  notes: 'Every sender hosted on Hook0 uses this header.',
};
