import { expect, test } from 'bun:test';
import { createGarbageCounter } from './garbage.ts';

test('garbage is collected once for tens of thousands of deliveries, and never during a delivery', async () => {
  let collections = 0;
  const stored = createGarbageCounter(() => collections++);
  const turn = () => new Promise(resolve => setImmediate(resolve));
  for (let n = 0; n < 1023; n++) stored(64);
  await turn();
  expect(collections).toBe(0);
  stored(64);
  expect(collections).toBe(0);
  await turn();
  expect(collections).toBe(1);
  for (let n = 0; n < 1024; n++) stored(64);
  await turn();
  expect(collections).toBe(2);
});
