/* Test payloads: GitHub's own examples, shop orders of 1.6 KB, and Stripe-like events of 1 KB. */
import examples from '@octokit/webhooks-examples' with { type: 'json' };

export type Payload = { event: string; body: Uint8Array };

/** The 329 examples of @octokit/webhooks-examples, 9.9 KB each on average. */
export function githubPayloads(): Payload[] {
  const encoder = new TextEncoder();
  return examples.flatMap(({ name, examples: bodies }) =>
    bodies.map(body => ({ event: name, body: encoder.encode(JSON.stringify(body)) })),
  );
}

/** One order of exactly 1,600 bytes, the same in every run. */
export function smallPayload(): Payload {
  return orderPayload({
    id: 'ord_01J9ZQ4T7V8W2X3Y4Z5A6B7C8D',
    created: 1789000000,
    customer: { id: 'cus_91827364', email: 'ada@example.com', name: 'Ada Example', locale: 'en-GB' },
    article: line => ({ sku: line * 7919 + 104729, unitPrice: 1999 + line * 350 }),
  });
}

/** Orders of exactly 1,600 bytes, each with its own ids, articles and prices; equal in every run. */
export function orderPayloads(count: number): Payload[] {
  const random = createRandom(2);
  return Array.from({ length: count }, (_, number) => {
    const customer = random(100_000_000);
    return orderPayload({
      id: `ord_${randomText(random, 26)}`,
      created: 1_789_000_000 + number * 3 + random(3),
      customer: { id: `cus_${customer}`, email: `c${customer}@example.com`, name: 'Ada Example', locale: 'en-GB' },
      article: () => ({ sku: 100_000 + random(60_000_000), unitPrice: 100 + random(9000) }),
    });
  });
}

type Order = {
  id: string;
  created: number;
  customer: Record<string, string>;
  article: (line: number) => { sku: number; unitPrice: number };
};

function orderPayload({ id, created, customer, article }: Order): Payload {
  const order = {
    id,
    type: 'order.paid',
    created,
    customer,
    lines: Array.from({ length: 9 }, (_, line) => {
      const { sku, unitPrice } = article(line);
      return {
        sku: `SKU-${sku.toString(36).toUpperCase()}`,
        title: `Article number ${line + 1}, boxed`,
        quantity: (line % 3) + 1,
        unitPrice,
        currency: 'EUR',
      };
    }),
    note: '',
  };
  const missing = 1600 - JSON.stringify(order).length;
  const note = 'Leave it with the neighbours if nobody opens; the bell is the lower one. '.repeat(20).slice(0, missing);
  return { event: 'order.paid', body: new TextEncoder().encode(JSON.stringify({ ...order, note })) };
}

/** Events of about 1 KB in Stripe's form, each with its own ids, amounts and times; the same in every run. */
export const stripePayloads = (count: number): Payload[] => [...stripeEvents(count)];

/** Like `stripePayloads`, one by one. @param orderOf the order number of an event, instead of a random one */
export function* stripeEvents(count: number, orderOf?: (number: number) => string | undefined): Generator<Payload> {
  const encoder = new TextEncoder();
  const random = createRandom(1);
  const id = (prefix: string): string => `${prefix}_${randomText(random, 24)}`;
  for (let number = 0; number < count; number++) {
    const created = 1_789_000_000 + number * 7 + random(7);
    const amount = 500 + random(100_000);
    const intent = id('pi');
    const event = {
      id: id('evt'),
      object: 'event',
      api_version: '2025-08-27.basil',
      created,
      data: {
        object: {
          id: intent,
          object: 'payment_intent',
          amount,
          amount_capturable: 0,
          amount_received: amount,
          automatic_payment_methods: { enabled: true },
          capture_method: 'automatic',
          client_secret: `${intent}_secret_${id('x').slice(2)}`,
          confirmation_method: 'automatic',
          created: created - random(60),
          currency: ['eur', 'usd', 'gbp'][random(3)],
          customer: id('cus'),
          description: `Order ${100_000 + random(900_000)}`,
          latest_charge: id('ch'),
          livemode: true,
          metadata: { order_id: orderOf?.(number) ?? String(random(9_000_000)) },
          payment_method: id('pm'),
          payment_method_types: ['card'],
          receipt_email: `customer${random(1_000_000)}@example.com`,
          status: 'succeeded',
        },
      },
      livemode: true,
      pending_webhooks: 1,
      request: { id: id('req'), idempotency_key: id('key').slice(4) },
      type: 'payment_intent.succeeded',
    };
    yield { event: event.type, body: encoder.encode(JSON.stringify(event)) };
  }
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const randomText = (random: (limit: number) => number, length: number): string =>
  Array.from({ length }, () => digits[random(digits.length)]).join('');

/** Pseudo-random integers below a limit, in a sequence determined by the seed (mulberry32). */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return limit => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
