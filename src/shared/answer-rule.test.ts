import { expect, test } from 'bun:test';
import { describeAnswer, describeCondition, isCatchAll, isSuccess, ordinal } from './answer-rule.ts';

const rate = { max: 5, perS: 60 };
const rules: [rule: Parameters<typeof describeCondition>[0], condition: string, answer: string][] = [
  [{ answer: {} }, 'every request', '200'],
  [{ per: 'delivery', every: 1, chance: 1, when: ' ', answer: {} }, 'every request', '200'],
  [{ when: 'type:push', answer: { status: 410 } }, 'every request that matches type:push', '410'],
  [{ first: 1, answer: { fault: 'reset' } }, 'first request', 'reset the connection'],
  [{ first: 2, answer: { fault: 'close' } }, 'first 2 requests', 'close the connection'],
  [{ per: 'delivery', first: 1, answer: { delayMs: 30_000 } }, 'first attempt of each delivery', '200 after 30 s'],
  [{ per: 'delivery', first: 2, answer: { status: 500 } }, 'first 2 attempts of each delivery', '500'],
  [
    { per: 'delivery', first: 1, when: 'type:push', answer: { status: 500 } },
    'first attempt of each delivery that matches type:push',
    '500',
  ],
  [{ every: 3, answer: { status: 500, delayMs: 1500 } }, 'every 3rd request', '500 after 1.5 s'],
  [
    { per: 'delivery', every: 2, answer: { fault: 'stall' } },
    'every 2nd attempt of each delivery',
    'headers, then no body',
  ],
  [
    { when: 'type:push', first: 10, every: 3, answer: { fault: 'stall', delayMs: 800 } },
    'every 3rd of the first 10 requests that match type:push',
    'headers, then no body after 800 ms',
  ],
  [
    { per: 'delivery', first: 4, every: 2, answer: { status: 500 } },
    'every 2nd of the first 4 attempts of each delivery',
    '500',
  ],
  [{ per: 'delivery', first: 2, every: 3, answer: { status: 500 } }, 'no attempt', '500'],
  [{ rate, answer: {} }, 'requests above 5 per 60 s', '429 with Retry-After'],
  [
    { rate, when: 'type:push', answer: { status: 503 } },
    'requests above 5 per 60 s that match type:push',
    '503 with Retry-After',
  ],
  [
    { rate: { max: 1, perS: 1 }, per: 'delivery', answer: { status: 500 } },
    'attempts of each delivery above 1 per 1 s',
    '500',
  ],
  [
    { first: 100, rate, answer: { fault: 'close' } },
    'first 100 requests, when above 5 per 60 s',
    'close the connection',
  ],
  [
    { per: 'delivery', every: 3, rate: { max: 1, perS: 60 }, chance: 0.5, answer: {} },
    'every 3rd attempt of each delivery, when above 1 per 60 s, 50% of them, at random',
    '429 with Retry-After',
  ],
  [{ chance: 0.29, answer: { status: 503 } }, 'every request, 29% of them, at random', '503'],
  [
    { per: 'delivery', first: 2, when: 'type:push', chance: 0.001, answer: { fault: 'reset', delayMs: 60_000 } },
    'first 2 attempts of each delivery that match type:push, 0.1% of them, at random',
    'reset the connection after 60 s',
  ],
  [{ handshake: true, answer: { status: 403 } }, 'every request, handshakes included', '403'],
];

test.each(rules)('%j in words', (rule, condition, answer) => {
  expect([describeCondition(rule), describeAnswer(rule)]).toEqual([condition, answer]);
});

test('ordinals', () => {
  expect([2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111].map(ordinal)).toEqual(
    '2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 101st 111th'.split(' '),
  );
});

test('a rule without conditions answers every request', () => {
  const answer = { status: 500 };
  for (const rule of [{}, { when: ' ' }, { every: 1 }, { chance: 1 }])
    expect(isCatchAll({ ...rule, answer })).toBe(true);
  for (const rule of [{ when: 'a' }, { first: 1 }, { every: 2 }, { chance: 0.5 }, { rate: { max: 1, perS: 1 } }])
    expect(isCatchAll({ ...rule, answer })).toBe(false);
});

test('only an answer of 2xx that is sent is a success', () => {
  expect(isSuccess({ answer: { delayMs: 5000 } })).toBe(true);
  expect(isSuccess({ answer: { fault: 'stall' } })).toBe(false);
  expect(isSuccess({ answer: { status: 304 } })).toBe(false);
  expect(isSuccess({ rate: { max: 1, perS: 1 }, answer: {} })).toBe(false);
});
