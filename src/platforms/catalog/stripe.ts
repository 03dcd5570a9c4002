import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const stripe: Platform = {
  name: 'stripe',
  title: 'Stripe',
  docsUrl: 'https://docs.stripe.com/webhooks',
  setup: {
    where: 'Workbench > Webhooks > Create new destination > Webhook > Endpoint URL',
    url: 'https://docs.stripe.com/workbench/event-destinations',
  },
  detect: [{ anyHeader: ['stripe-signature'], order: 20 }],
  eventType: ['json:type'],
  deliveryId: [{ body: 'id', source: 'https://docs.stripe.com/webhooks#handle-duplicate-events' }],
  preview: [
    [
      '{data.object.amount} {data.object.currency}',
      '{data.object.amount_total} {data.object.currency}',
      '{data.object.amount_due} {data.object.currency}',
      '{data.object.unit_amount} {data.object.currency}',
    ],
    [
      'data.object.customer_email',
      'data.object.receipt_email',
      'data.object.customer_details.email',
      'data.object.email',
      'data.object.billing_details.email',
      'data.object.name',
    ],
    'data.object.number',
    'data.object.status',
    ['data.object.id', 'related_object.id', 'data.object.customer'],
  ],
  signatures: [timestampedHmac('stripe-signature')],
  secretHint: 'Workbench > Webhooks > the destination > Signing secret (whsec_…)',
};
