import { expect, test } from 'bun:test';
import { answerText, describeOutcome } from './answered.ts';

const usual = { status: 200, rule: null, delayMs: 0, fault: null, limited: false };

test.each([
  [{ status: 500, rule: 'rule-1' }, '500', 'Responded with 500, rule “rule-1”.'],
  [{ status: 200, rule: 'slow', delayMs: 10_000 }, '200 in 10 s', 'Responded with 200 after 10 s, rule “slow”.'],
  [{ status: 202 }, '202', 'Responded with 202.'],
  [
    { status: null, rule: 'cut', fault: 'close' as const, delayMs: 800 },
    'closed in 800 ms',
    'Connection closed without a response after 800 ms, rule “cut”.',
  ],
  [
    { status: null, rule: 'a\u202eb', fault: 'stall' as const },
    'stalled',
    'Headers sent, then nothing for 60 seconds, rule “a‹U+202E›b”.',
  ],
  [
    { status: 200, rule: 'slow', limited: true },
    '200',
    'Responded with 200, rule “slow”. The delay was skipped because too many responses were being delayed.',
  ],
] as const)('%j', (answered, text, sentence) => {
  const event = { answered: { ...usual, ...answered }, refused: null };
  expect(answerText(event.answered)).toBe(text);
  expect(describeOutcome(event)).toBe(sentence);
});

test('a refusal says why', () => {
  const reasons = ([401, 403, 405] as const).map(refused => {
    const event = { answered: { ...usual, status: refused }, refused };
    return describeOutcome(event);
  });
  expect(reasons[0]).toContain('missing or wrong credentials');
  expect(reasons[1]).toContain('network');
  expect(reasons[2]).toContain('method');
});
