/* https://docs.stripe.com/api/events/object */
import { type Fresh, jsonRequest, type Sample, type SampleRequest } from '../engine/sample.ts';

const event = (fresh: Fresh, type: string, object: object): SampleRequest =>
  jsonRequest(
    {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      Accept: '*/*; q=0.5, application/xml',
      'Cache-Control': 'no-cache',
    },
    {
      id: `evt_1${fresh.text(23)}`,
      object: 'event',
      api_version: '2025-09-30.clover',
      created: fresh.seconds,
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: `req_${fresh.text(14)}`, idempotency_key: fresh.uuid() },
      type,
    },
  );

const customer = (fresh: Fresh): string => `cus_${fresh.text(14)}`;

const paymentIntent = (fresh: Fresh, status: string) => ({
  id: `pi_3${fresh.text(23)}`,
  object: 'payment_intent',
  amount: 4900,
  amount_capturable: 0,
  amount_received: status === 'succeeded' ? 4900 : 0,
  capture_method: 'automatic',
  created: fresh.seconds - 4,
  currency: 'eur',
  customer: customer(fresh),
  description: 'Order 1042',
  last_payment_error:
    status === 'succeeded'
      ? null
      : {
          code: 'card_declined',
          decline_code: 'insufficient_funds',
          message: 'Your card has insufficient funds.',
          type: 'card_error',
        },
  latest_charge: `ch_3${fresh.text(23)}`,
  livemode: false,
  metadata: { order_id: '1042' },
  payment_method: `pm_1${fresh.text(23)}`,
  payment_method_types: ['card'],
  receipt_email: 'jenny.rosen@example.com',
  status,
});

const invoice = (fresh: Fresh, status: string) => ({
  id: `in_1${fresh.text(23)}`,
  object: 'invoice',
  amount_due: 2900,
  amount_paid: status === 'paid' ? 2900 : 0,
  amount_remaining: status === 'paid' ? 0 : 2900,
  attempt_count: 1,
  attempted: true,
  billing_reason: 'subscription_cycle',
  collection_method: 'charge_automatically',
  created: fresh.seconds - 3600,
  currency: 'eur',
  customer: customer(fresh),
  customer_email: 'jenny.rosen@example.com',
  customer_name: 'Jenny Rosen',
  livemode: false,
  next_payment_attempt: status === 'paid' ? null : fresh.seconds + 259_200,
  number: `${fresh.text(8).toUpperCase()}-0007`,
  period_end: fresh.seconds,
  period_start: fresh.seconds - 2_592_000,
  status,
  subtotal: 2900,
  total: 2900,
});

const checkoutSession = (fresh: Fresh) => ({
  id: `cs_test_${fresh.text(58)}`,
  object: 'checkout.session',
  amount_subtotal: 4900,
  amount_total: 4900,
  client_reference_id: '1042',
  created: fresh.seconds - 90,
  currency: 'eur',
  customer: customer(fresh),
  customer_details: { email: 'jenny.rosen@example.com', name: 'Jenny Rosen', phone: null },
  livemode: false,
  metadata: {},
  mode: 'payment',
  payment_intent: `pi_3${fresh.text(23)}`,
  payment_status: 'paid',
  status: 'complete',
  success_url: 'https://example.com/success',
});

const subscription = (fresh: Fresh) => ({
  id: `sub_1${fresh.text(23)}`,
  object: 'subscription',
  cancel_at_period_end: false,
  canceled_at: fresh.seconds,
  cancellation_details: { comment: null, feedback: 'too_expensive', reason: 'cancellation_requested' },
  created: fresh.seconds - 7_776_000,
  currency: 'eur',
  customer: customer(fresh),
  ended_at: fresh.seconds,
  items: {
    object: 'list',
    data: [
      {
        id: `si_${fresh.text(14)}`,
        object: 'subscription_item',
        price: { id: `price_1${fresh.text(23)}`, object: 'price', currency: 'eur', unit_amount: 2900 },
        quantity: 1,
      },
    ],
    has_more: false,
    total_count: 1,
  },
  latest_invoice: `in_1${fresh.text(23)}`,
  livemode: false,
  metadata: {},
  status: 'canceled',
});

const refundedCharge = (fresh: Fresh) => ({
  id: `ch_3${fresh.text(23)}`,
  object: 'charge',
  amount: 4900,
  amount_captured: 4900,
  amount_refunded: 4900,
  billing_details: { email: 'jenny.rosen@example.com', name: 'Jenny Rosen', phone: null },
  captured: true,
  created: fresh.seconds - 86_400,
  currency: 'eur',
  customer: customer(fresh),
  description: 'Order 1042',
  livemode: false,
  paid: true,
  payment_intent: `pi_3${fresh.text(23)}`,
  refunded: true,
  status: 'succeeded',
});

export const stripe: readonly Sample[] = [
  {
    name: 'payment_intent.succeeded',
    title: 'Payment succeeded',
    build: fresh => event(fresh, 'payment_intent.succeeded', paymentIntent(fresh, 'succeeded')),
  },
  {
    name: 'payment_intent.payment_failed',
    title: 'Payment failed',
    build: fresh => event(fresh, 'payment_intent.payment_failed', paymentIntent(fresh, 'requires_payment_method')),
  },
  {
    name: 'checkout.session.completed',
    title: 'Checkout completed',
    build: fresh => event(fresh, 'checkout.session.completed', checkoutSession(fresh)),
  },
  {
    name: 'invoice.paid',
    title: 'Invoice paid',
    build: fresh => event(fresh, 'invoice.paid', invoice(fresh, 'paid')),
  },
  {
    name: 'invoice.payment_failed',
    title: 'Invoice payment failed',
    build: fresh => event(fresh, 'invoice.payment_failed', invoice(fresh, 'open')),
  },
  {
    name: 'customer.subscription.deleted',
    title: 'Subscription ended',
    build: fresh => event(fresh, 'customer.subscription.deleted', subscription(fresh)),
  },
  {
    name: 'charge.refunded',
    title: 'Charge refunded',
    build: fresh => event(fresh, 'charge.refunded', refundedCharge(fresh)),
  },
];
