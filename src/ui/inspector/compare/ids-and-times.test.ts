import { expect, test } from 'bun:test';
import { looksLikeIdOrTime } from './ids-and-times.ts';

test.each([
  ['id', 'evt_1', 'evt_2'],
  ['customer_id', '17', '18'],
  ['deliveryId', '17', '18'],
  ['X-GitHub-Delivery', '0d1a26e8-67d3-11ee-8c99-0242ac120002', '1d1a26e8-67d3-11ee-8c99-0242ac120002'],
  ['Stripe-Signature', 't=1700000000,v1=5257a869e7', 't=1700000009,v1=9257a869e7'],
  ['', 't=1700000000,v1=5257a869e7', 't=1700000009,v1=9257a869e7'],
  ['x-hub-signature-256', 'sha256=aa', 'sha256=bb'],
  ['when', '2026-11-28T10:00:00Z', '2026-11-28T10:00:00.123+01:00'],
  ['Date', 'Sat, 28 Nov 2026 10:17:05 GMT', 'Sat, 28 Nov 2026 10:18:05 GMT'],
  ['created', '1700000000', '1700000001'],
  ['updatedAt', '1700000000123', '1700000000124'],
  ['charge', 'ch_3Nxyz8abc', 'ch_3Nxyz8abd'],
  ['etag', '"33a64df5"', '"33a64df6"'],
])('%s: %s and %s are ids, times or signatures', (name, before, after) => {
  expect(looksLikeIdOrTime(name, before, after)).toBe(true);
});

test.each([
  ['amount', '1700000000', '1700000001'],
  ['amount', '100', '250'],
  ['created', '100', '250'],
  ['state', 'paid', 'refunded'],
  ['paid', 'true', 'false'],
  ['name', 'Mira Holm', 'Mira Lund'],
  ['title', 'order_confirmation', 'order_cancellation'],
  ['id', 'a text of words', 'another text of words'],
  ['when', '2026-11-28', 'never'],
  ['region', 'us-east-1', 'eu-west-2'],
  ['id', '', 'evt_1'],
])('%s: %s and %s are not', (name, before, after) => {
  expect(looksLikeIdOrTime(name, before, after)).toBe(false);
});
