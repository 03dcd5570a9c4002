import { expect, test } from 'bun:test';
import { readRules } from '../../core/answers/rules.ts';
import { evaluate } from '../../core/filter/evaluate.ts';
import type { Delivery, Destination } from '../delivery.ts';
import { createReadingAhead } from './reading-ahead.ts';

const deliveryOf = (body: string): Delivery => ({
  method: 'POST',
  path: '',
  query: null,
  fields: Buffer.from('Content-Type: application/json\r\n'),
  body: Buffer.from(body),
  sourceIp: '127.0.0.1',
  receivedAt: 1000,
});

/** Rules of many terms: a small body takes long for all of them together. */
const rulesOf = (count: number) =>
  readRules({
    rules: Array.from({ length: count }, (_, i) => ({
      when: Array.from({ length: 50 }, (_, j) => `body.items[]:${i * 50 + j}`).join(' OR '),
      answer: { status: 500 },
    })),
  }).active;

const destinationOf = (count: number): Destination => ({
  seq: 1,
  url: '',
  secrets: [],
  policy: { rules: { version: 1, rules: rulesOf(count) } },
});
const body = JSON.stringify({ items: Array.from({ length: 200 }, (_, i) => 100 + i) });

test('what takes long is read before the batch, and within it without reading again', async () => {
  const destination = destinationOf(50);
  const delivery = deliveryOf(body);
  const reading = createReadingAhead({ monotonic: () => 0 });
  await reading.prepare(destination, delivery);
  const found = reading.of(delivery);
  if (!found) throw new Error('nothing was read');
  expect(found.leftOut.size).toBe(0);
  // The outcomes are there although the body is not what it was.
  delivery.body.fill(0);
  const matches = destination.policy?.rules?.rules.map(
    ({ when }) => when && evaluate(when, { content: found.content }, 0),
  );
  // The items are 100 to 299, and each rule asks for 50 numbers.
  expect(matches).toEqual(Array.from({ length: 50 }, (_, i) => i >= 2 && i < 6));
});

test('there is a limit, beyond which filters are left out', async () => {
  const destination = destinationOf(50);
  const delivery = deliveryOf(body);
  let now = 0;
  // Each piece takes a second or so.
  const reading = createReadingAhead({ monotonic: () => (now += 1000), limitMs: 5000 });
  await reading.prepare(destination, delivery);
  const { leftOut } = reading.of(delivery) ?? {};
  expect(leftOut?.size).toBeGreaterThan(40);
  const [first] = destination.policy?.rules?.rules ?? [];
  expect(first?.when && leftOut?.has(first.when)).toBe(false);
});

test('what takes no time is left to the batch', () => {
  const reading = createReadingAhead({ monotonic: () => 0 });
  expect(reading.prepare(destinationOf(1), deliveryOf('{"items":[1]}'))).toBeUndefined();
  expect(reading.prepare({ seq: 1, url: '', secrets: [] }, deliveryOf(body))).toBeUndefined();
});
