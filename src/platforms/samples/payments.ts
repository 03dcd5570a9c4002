/* Payment providers. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { type Fresh, jsonRequest, type Sample } from '../engine/sample.ts';

const squarePayment = (fresh: Fresh) => {
  const id = `${fresh.text(29)}ZY`;
  return {
    merchant_id: '6SSW7HV8K2ST5',
    type: 'payment.updated',
    event_id: fresh.uuid(),
    created_at: fresh.iso(-1),
    data: {
      type: 'payment',
      id,
      object: {
        payment: {
          id,
          amount_money: { amount: 1250, currency: 'USD' },
          total_money: { amount: 1250, currency: 'USD' },
          status: 'COMPLETED',
          source_type: 'CARD',
          card_details: { status: 'CAPTURED', card: { card_brand: 'VISA', last_4: '5858' } },
          location_id: 'S8GWD5R9QB376',
          order_id: fresh.text(29),
          created_at: fresh.iso(-10),
          updated_at: fresh.iso(-1),
          version: 2,
        },
      },
    },
  };
};

const squareRefund = (fresh: Fresh) => {
  const id = `${fresh.text(29)}_refund`;
  return {
    merchant_id: '6SSW7HV8K2ST5',
    type: 'refund.created',
    event_id: fresh.uuid(),
    created_at: fresh.iso(-1),
    data: {
      type: 'refund',
      id,
      object: {
        refund: {
          id,
          amount_money: { amount: 1250, currency: 'USD' },
          status: 'PENDING',
          payment_id: fresh.text(30),
          location_id: 'S8GWD5R9QB376',
          reason: 'Broken item',
          created_at: fresh.iso(-1),
          updated_at: fresh.iso(-1),
        },
      },
    },
  };
};

const squareHeaders = { 'User-Agent': 'Square Connect v2', 'square-environment': 'Sandbox' };

export const square: readonly Sample[] = [
  {
    name: 'payment.updated',
    title: 'Payment completed',
    build: fresh => jsonRequest(squareHeaders, squarePayment(fresh)),
  },
  { name: 'refund.created', title: 'Refund created', build: fresh => jsonRequest(squareHeaders, squareRefund(fresh)) },
];

const paddleEvent = (fresh: Fresh, type: string, data: object) =>
  jsonRequest(
    { 'User-Agent': 'Paddle' },
    {
      event_id: `evt_01${fresh.text(24).toLowerCase()}`,
      event_type: type,
      occurred_at: fresh.iso(-1),
      notification_id: `ntf_01${fresh.text(24).toLowerCase()}`,
      data,
    },
  );

export const paddle: readonly Sample[] = [
  {
    name: 'transaction.completed',
    title: 'Transaction completed',
    build: fresh =>
      paddleEvent(fresh, 'transaction.completed', {
        id: `txn_01${fresh.text(24).toLowerCase()}`,
        status: 'completed',
        customer_id: `ctm_01${fresh.text(24).toLowerCase()}`,
        currency_code: 'USD',
        origin: 'web',
        created_at: fresh.iso(-30),
        billed_at: fresh.iso(-2),
        details: { totals: { subtotal: '30000', tax: '2662', total: '32662', currency_code: 'USD' } },
        items: [{ quantity: 10, price: { id: 'pri_01gsz8x8sawmvhz1pv30nge1ke', description: 'Monthly' } }],
      }),
  },
  {
    name: 'subscription.created',
    title: 'Subscription created',
    build: fresh =>
      paddleEvent(fresh, 'subscription.created', {
        id: `sub_01${fresh.text(24).toLowerCase()}`,
        status: 'active',
        customer_id: `ctm_01${fresh.text(24).toLowerCase()}`,
        currency_code: 'USD',
        started_at: fresh.iso(-2),
        next_billed_at: fresh.iso(2_592_000),
        billing_cycle: { interval: 'month', frequency: 1 },
        collection_mode: 'automatic',
        items: [{ status: 'active', quantity: 10, recurring: true }],
      }),
  },
];

const lemonEvent = (fresh: Fresh, type: string, data: object) =>
  jsonRequest(
    { 'User-Agent': 'LemonSqueezy-Hookshot', 'X-Event-Name': type },
    {
      meta: { event_name: type, webhook_id: fresh.uuid(), test_mode: true, custom_data: { customer_id: 25 } },
      data,
    },
  );

export const lemonsqueezy: readonly Sample[] = [
  {
    name: 'order_created',
    title: 'Order created',
    build: fresh =>
      lemonEvent(fresh, 'order_created', {
        type: 'orders',
        id: fresh.digits(7),
        attributes: {
          store_id: 1,
          customer_id: 1,
          identifier: fresh.uuid(),
          order_number: fresh.number(5),
          user_name: 'Luke Skywalker',
          user_email: 'luke@example.com',
          currency: 'USD',
          total: 1199,
          total_formatted: '$11.99',
          status: 'paid',
          status_formatted: 'Paid',
          first_order_item: { product_name: 'Lightsaber', variant_name: 'Green', price: 1199 },
          created_at: fresh.iso(-2),
          updated_at: fresh.iso(-2),
          test_mode: true,
        },
      }),
  },
  {
    name: 'subscription_created',
    title: 'Subscription created',
    build: fresh =>
      lemonEvent(fresh, 'subscription_created', {
        type: 'subscriptions',
        id: fresh.digits(6),
        attributes: {
          store_id: 1,
          order_id: fresh.number(7),
          product_name: 'Holocron',
          variant_name: 'Default',
          user_name: 'Luke Skywalker',
          user_email: 'luke@example.com',
          status: 'active',
          status_formatted: 'Active',
          card_brand: 'visa',
          card_last_four: '4242',
          renews_at: fresh.iso(2_592_000),
          created_at: fresh.iso(-2),
          test_mode: true,
        },
      }),
  },
];

export const razorpay: readonly Sample[] = [
  {
    name: 'payment.captured',
    title: 'Payment captured',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Razorpay-Webhook/v1', 'X-Razorpay-Event-Id': fresh.text(14) },
        {
          entity: 'event',
          account_id: 'acc_BFQ7uQEaa7j2z7',
          event: 'payment.captured',
          contains: ['payment'],
          payload: {
            payment: {
              entity: {
                id: `pay_${fresh.text(14)}`,
                entity: 'payment',
                amount: 100,
                currency: 'INR',
                status: 'captured',
                order_id: `order_${fresh.text(14)}`,
                method: 'netbanking',
                captured: true,
                bank: 'HDFC',
                email: 'gaurav.kumar@example.com',
                contact: '+919876543210',
                created_at: fresh.seconds - 3,
              },
            },
          },
          created_at: fresh.seconds,
        },
      ),
  },
];

export const paystack: readonly Sample[] = [
  {
    name: 'charge.success',
    title: 'Charge succeeded',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Paystack/2.0' },
        {
          event: 'charge.success',
          data: {
            id: fresh.number(9),
            domain: 'test',
            status: 'success',
            reference: fresh.text(10).toLowerCase(),
            amount: 10_000,
            gateway_response: 'Approved',
            paid_at: fresh.iso(-1),
            created_at: fresh.iso(-20),
            channel: 'card',
            currency: 'NGN',
            customer: { id: 68324, email: 'bojack@horsinaround.com', customer_code: 'CUS_qo38as2hpsgk2r0' },
          },
        },
      ),
  },
];
