import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const stripe: Platform = {
  name: 'stripe',
  title: 'Stripe',
  docsUrl: 'https://docs.stripe.com/webhooks',
  detect: [{ anyHeader: ['stripe-signature'], order: 20 }],
  eventType: ['json:type'],
  deliveryId: [{ body: 'id', source: 'https://docs.stripe.com/webhooks#handle-duplicate-events' }],
  signatures: [timestampedHmac('stripe-signature')],
  secretHint: 'Developers > Webhooks > the endpoint > Signing secret (whsec_…)',
};
