import { describe, expect, test } from 'bun:test';
import type { Signature } from '../../../features/events/model.ts';
import { describeVerdict } from './verdict.ts';

describe('verdicts', () => {
  const signature = (change: Partial<Signature>): Signature => ({
    platform: 'github',
    scheme: 'hmac',
    verdict: 'unchecked',
    reason: null,
    proves: null,
    checked: 'read',
    ...change,
  });

  test('each reason has its own sentence and advice', () => {
    const reasons = [
      'no_secret',
      'unconfirmed_secret',
      'wrong_secret_or_altered_body',
      'timestamp_out_of_tolerance',
      'malformed_header',
      'unsupported',
    ] as const;
    const words = reasons.map(reason => describeVerdict({ platform: 'github', signature: signature({ reason }) }));
    expect(new Set(words.map(word => word.sentence)).size).toBe(reasons.length);
    for (const word of words) expect(word.advice).not.toBe('');
    expect(words.map(word => word.action)).toEqual(['none', 'confirm', 'none', 'none', 'none', 'none']);
  });

  test('the verdict of a redacted event is that of its arrival, and nothing is to be done about it', () => {
    const word = (change: Partial<Signature>) =>
      describeVerdict({ platform: 'github', signature: signature({ ...change, checked: 'arrival' }) });
    const invalid = word({ verdict: 'invalid', reason: 'wrong_secret_or_altered_body' });
    expect(invalid.sentence).toContain('It was checked when it came');
    const unchecked = word({ reason: 'unconfirmed_secret' });
    expect(unchecked.sentence).toContain("can't be checked later");
    expect([invalid, unchecked].map(({ advice, action }) => [advice, action])).toEqual([
      ['', 'none'],
      ['', 'none'],
    ]);
  });

  test('a valid verdict says what it proves', () => {
    const valid = (proves: 'payload' | 'origin') =>
      describeVerdict({ platform: 'github', signature: signature({ verdict: 'valid', proves }) }).sentence;
    expect(valid('payload')).toContain('exactly what was signed');
    expect(valid('origin')).toContain("doesn't sign the body");
  });

  test('the verdict for an unknown platform names no sender', () => {
    for (const change of [
      { verdict: 'valid', proves: 'payload' },
      { verdict: 'valid', proves: 'origin' },
      { verdict: 'invalid', reason: 'wrong_secret_or_altered_body' },
      { reason: 'no_secret' },
      { reason: 'unconfirmed_secret' },
    ] as const) {
      const { sentence, advice } = describeVerdict({
        platform: null,
        signature: signature({ ...change, platform: null }),
      });
      expect(`${sentence} ${advice}`).not.toMatch(/unknown sender|null|of the sender| {2}/);
    }
  });

  test('a missing signature is neutral', () => {
    expect(describeVerdict({ platform: null, signature: null }).tone).toBe('muted');
  });
});
