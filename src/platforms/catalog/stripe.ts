import type { Platform } from '../engine/model.ts';
import { timedHmac } from '../engine/schemes.ts';

export const stripe: Platform = {
  name: 'stripe',
  title: 'Stripe',
  docsUrl: 'https://docs.stripe.com/webhooks',
  detect: [{ anyHeader: ['stripe-signature'], order: 20 }],
  eventType: ['json:type'],
  signatures: [timedHmac('stripe-signature')],
  secretHint: 'Developers > Webhooks > the endpoint > Signing secret (whsec_…)',
};
