/* What the scripts send: GitHub's own examples, and one document of 1.6 KB as a shop sends it. */
import examples from '@octokit/webhooks-examples' with { type: 'json' };

export type Payload = { event: string; body: Uint8Array };

/** The 329 examples of @octokit/webhooks-examples, 9.9 KB each on average. */
export function githubPayloads(): Payload[] {
  const encoder = new TextEncoder();
  return examples.flatMap(({ name, examples: bodies }) =>
    bodies.map(body => ({ event: name, body: encoder.encode(JSON.stringify(body)) })),
  );
}

/** One order of exactly 1,600 bytes. */
export function smallPayload(): Payload {
  const order = {
    id: 'ord_01J9ZQ4T7V8W2X3Y4Z5A6B7C8D',
    type: 'order.paid',
    created: 1789000000,
    customer: { id: 'cus_91827364', email: 'ada@example.com', name: 'Ada Example', locale: 'en-GB' },
    lines: Array.from({ length: 9 }, (_, line) => ({
      sku: `SKU-${(line * 7919 + 104729).toString(36).toUpperCase()}`,
      title: `Article number ${line + 1}, boxed`,
      quantity: (line % 3) + 1,
      unitPrice: 1999 + line * 350,
      currency: 'EUR',
    })),
    note: '',
  };
  const missing = 1600 - JSON.stringify(order).length;
  const note = 'Leave it with the neighbours if nobody opens; the bell is the lower one. '.repeat(20).slice(0, missing);
  return { event: 'order.paid', body: new TextEncoder().encode(JSON.stringify({ ...order, note })) };
}
