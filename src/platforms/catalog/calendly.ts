import type { Platform } from '../engine/model.ts';
import { timedHmac } from '../engine/schemes.ts';

export const calendly: Platform = {
  name: 'calendly',
  title: 'Calendly',
  docsUrl: 'https://developer.calendly.com',
  detect: [{ anyHeader: ['calendly-webhook-signature'], order: 20 }],
  eventType: ['json:event'],
  signatures: [
    timedHmac('calendly-webhook-signature', { time: { from: 'value:t', unit: 's', toleranceSeconds: 180 } }),
  ],
  secretHint: 'signing_key given when the webhook subscription was created',
};
