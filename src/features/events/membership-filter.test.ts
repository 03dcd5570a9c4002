import { expect, test } from 'bun:test';
import { deliveryNumber } from '../../core/ids/delivery-key.ts';
import { makeMembershipFilter, mayInclude } from './membership-filter.ts';

const event = { endpoint: 1, platform: 'github', method: 'POST', path: '', query: null, eventType: null };
const numberOf = (id: number): number =>
  deliveryNumber({ ...event, body: new Uint8Array(0) }, { id: String(id), basis: 'header' });
const numbers = Array.from({ length: 2 ** 14 }, (_, id) => numberOf(id));

test('a filter includes every number that it was made of', () => {
  const filter = makeMembershipFilter(numbers, 2 ** 14);
  expect(numbers.filter(number => !mayInclude(filter, number))).toEqual([]);
  for (const number of [0, 3, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])
    for (const bytes of [1, 2, 2 ** 17]) expect(mayInclude(makeMembershipFilter([number], bytes), number)).toBe(true);
});

test('of other numbers it includes fewer than 4 in 100, with 8 bits for each of its own', () => {
  const filter = makeMembershipFilter(numbers, 2 ** 14);
  const others = Array.from({ length: 20_000 }, (_, i) => numberOf(numbers.length + i));
  const included = others.filter(number => mayInclude(filter, number)).length;
  expect(included).toBeGreaterThan(0);
  expect(included / others.length).toBeLessThan(0.04);
});

test('an empty filter includes nothing', () => {
  const filter = makeMembershipFilter([], 2 ** 14);
  expect(numbers.some(number => mayInclude(filter, number))).toBe(false);
});
