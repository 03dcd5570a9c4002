import { expect, test } from 'bun:test';
import type { AnswerRule } from '../../features/answers/model.ts';
import { describeAnswer, describeCondition, isCatchAll, isSuccess, ordinal } from './describe.ts';

const rules: [rule: AnswerRule, condition: string, answer: string][] = [
  [{ answer: {} }, 'every request', '200'],
  [{ per: 'delivery', first: 2, answer: { status: 500 } }, 'the first 2 attempts of each delivery', '500'],
  [{ first: 1, answer: { fault: 'reset' } }, 'the first request', 'connection reset'],
  [
    { when: 'type:push', every: 3, answer: { status: 500, delayMs: 1500 } },
    'type:push, every 3rd request',
    '500 after 1.5 s',
  ],
  [{ rate: { max: 1, perS: 60 }, answer: {} }, 'more than 1 request in 60 s', '429 with Retry-After'],
  [{ rate: { max: 5, perS: 1 }, answer: { status: 500 } }, 'more than 5 requests in 1 s', '500'],
  [{ chance: 0.29, answer: { status: 503 } }, '29% by chance', '503'],
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
