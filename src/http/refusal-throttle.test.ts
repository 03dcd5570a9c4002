import { expect, test } from 'bun:test';
import { holdClock } from '../testing/clock.ts';
import { createRefusalThrottle } from './refusal-throttle.ts';

const open = (capacity?: number) => {
  const clock = holdClock();
  const throttle = createRefusalThrottle(clock.monotonic, capacity);
  const counts = (n: number, address = '192.0.2.1') => Array.from({ length: n }, () => throttle.count(address));
  return { clock, throttle, counts };
};

test('after 300 refusals in a minute the client has to wait for the rest of it', () => {
  const { clock, counts } = open();
  expect(counts(300)).toEqual(new Array(300).fill(0));
  clock.advance(20_500);
  expect(counts(2)).toEqual([40, 40]);
  clock.advance(39_499);
  expect(counts(1)).toEqual([1]);
  clock.advance(1);
  expect(counts(1)).toEqual([0]);
});

test('addresses of one IPv6 /64 are one client, two IPv4 addresses are two', () => {
  const { throttle, counts } = open();
  for (let i = 0; i < 300; i++) throttle.count(`2001:db8::${i.toString(16)}`);
  expect(throttle.count('2001:db8::ffff:1')).toBe(60);
  expect(throttle.count('2001:db8:0:1::1')).toBe(0);
  expect(counts(301).at(-1)).toBe(60);
  expect(throttle.count('192.0.2.2')).toBe(0);
});

test('memory is bounded: the client whose minute began first is dropped', () => {
  const { throttle, counts } = open(2);
  expect(counts(301).at(-1)).toBe(60);
  throttle.count('192.0.2.2');
  expect(throttle.count('192.0.2.1')).toBe(60);
  throttle.count('192.0.2.3');
  expect(throttle.count('192.0.2.1')).toBe(0);
});
