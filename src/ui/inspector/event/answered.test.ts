import { expect, test } from 'bun:test';
import { describeOutcome, rowAnswerOf } from './answered.ts';

const usual = { status: 200, rule: null, delayMs: 0, fault: null, limited: false };

test('the default answer is not mentioned in rows', () => {
  expect(rowAnswerOf({ answered: usual, refused: null })).toBeUndefined();
});

test.each([
  [{ status: 500, rule: 'rule-1' }, 'bad', '500 · rule-1', 'Answered 500, by the rule “rule-1”.'],
  [
    { status: 200, rule: 'slow', delayMs: 10_000 },
    'good',
    '200 in 10 s · slow',
    'Answered 200 after 10 s, by the rule “slow”.',
  ],
  [{ status: 202 }, 'good', '202', 'Answered 202.'],
  [
    { status: null, rule: 'cut', fault: 'close' as const, delayMs: 800 },
    'bad',
    'closed in 800 ms · cut',
    'The connection was closed without an answer after 800 ms, by the rule “cut”.',
  ],
  [
    { status: null, rule: 'a\u202eb', fault: 'stall' as const },
    'bad',
    'stalled · a‹U+202E›b',
    'The head of an answer was sent, then nothing for 60 seconds, by the rule “a‹U+202E›b”.',
  ],
  [
    { status: 200, rule: 'slow', limited: true },
    'good',
    '200 · slow',
    'Answered 200, by the rule “slow”. Answered at once, because too many delayed answers were waiting.',
  ],
] as const)('%j', (answered, tone, text, sentence) => {
  const event = { answered: { ...usual, ...answered }, refused: null };
  expect(rowAnswerOf(event)).toEqual({ tone, text });
  expect(describeOutcome(event)).toBe(sentence);
});

test('a refusal says why', () => {
  const reasons = ([401, 403, 405] as const).map(refused => {
    const event = { answered: { ...usual, status: refused }, refused };
    expect(rowAnswerOf(event)?.text).toBe(`Refused ${refused}`);
    return describeOutcome(event);
  });
  expect(reasons[0]).toContain('its credentials were missing or wrong');
  expect(reasons[1]).toContain('network');
  expect(reasons[2]).toContain('method');
});
