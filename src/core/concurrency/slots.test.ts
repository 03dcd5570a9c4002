import { expect, test } from 'bun:test';
import { createSlots } from './slots.ts';

test('so many places for each holder; one is given back once', () => {
  const slots = createSlots(2);
  const first = slots.take('a');
  expect(slots.take('a')).toBeDefined();
  expect(slots.take('a')).toBeUndefined();
  expect(slots.take('b')).toBeDefined();
  first?.();
  first?.();
  expect(slots.take('a')).toBeDefined();
  expect(slots.take('a')).toBeUndefined();
});
