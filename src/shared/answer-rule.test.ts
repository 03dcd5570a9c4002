import { expect, test } from 'bun:test';
import { describeAnswer, describeCondition, isCatchAll, isSuccess, ordinal } from './answer-rule.ts';

const rate = { max: 5, perS: 60 };
const rules: [rule: Parameters<typeof describeCondition>[0], condition: string, answer: string][] = [
  [{ answer: {} }, 'every request', '200'],
  [{ per: 'delivery', every: 1, chance: 1, when: ' ', answer: {} }, 'every request', '200'],
  [{ when: 'type:push', answer: { status: 410 } }, 'every request that matches type:push', '410'],
  [{ first: 1, answer: { fault: 'reset' } }, 'the first request', 'connection reset'],
  [{ first: 2, answer: { fault: 'close' } }, 'the first 2 requests', 'connection closed'],
  [{ per: 'delivery', first: 1, answer: { delayMs: 30_000 } }, 'the first attempt of each delivery', '200 after 30 s'],
  [{ per: 'delivery', first: 2, answer: { status: 500 } }, 'the first 2 attempts of each delivery', '500'],
  [
    { per: 'delivery', first: 1, when: 'type:push', answer: { status: 500 } },
    'the first attempt of each delivery that matches type:push',
    '500',
  ],
  [{ every: 3, answer: { status: 500, delayMs: 1500 } }, 'every 3rd request', '500 after 1.5 s'],
  [{ per: 'delivery', every: 2, answer: { fault: 'stall' } }, 'every 2nd attempt of each delivery', 'stalled answer'],
  [
    { when: 'type:push', first: 10, every: 3, answer: { fault: 'stall', delayMs: 800 } },
    'every 3rd of the first 10 requests that match type:push',
    'stalled answer after 800 ms',
  ],
  [
    { per: 'delivery', first: 4, every: 2, answer: { status: 500 } },
    'every 2nd of the first 4 attempts of each delivery',
    '500',
  ],
  [{ per: 'delivery', first: 2, every: 3, answer: { status: 500 } }, 'no attempt', '500'],
  [{ rate, answer: {} }, 'requests beyond 5 in 60 s', '429 with Retry-After'],
  [
    { rate, when: 'type:push', answer: { status: 503 } },
    'requests beyond 5 in 60 s that match type:push',
    '503 with Retry-After',
  ],
  [
    { rate: { max: 1, perS: 1 }, per: 'delivery', answer: { status: 500 } },
    'attempts of each delivery beyond 1 in 1 s',
    '500',
  ],
  [
    { first: 100, rate, answer: { fault: 'close' } },
    'the first 100 requests, if more than 5 come in 60 s',
    'connection closed',
  ],
  [
    { per: 'delivery', every: 3, rate: { max: 1, perS: 60 }, chance: 0.5, answer: {} },
    'every 3rd attempt of each delivery, if more than 1 comes in 60 s, with a chance of 50%',
    '429 with Retry-After',
  ],
  [{ chance: 0.29, answer: { status: 503 } }, 'every request, with a chance of 29%', '503'],
  [
    { per: 'delivery', first: 2, when: 'type:push', chance: 0.001, answer: { fault: 'reset', delayMs: 60_000 } },
    'the first 2 attempts of each delivery that match type:push, with a chance of 0.1%',
    'connection reset after 60 s',
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
