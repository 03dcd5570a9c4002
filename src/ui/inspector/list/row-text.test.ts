import { describe, expect, test } from 'bun:test';
import { formatClock, formatDay, formatLongMoment, formatMoment, nextDay } from '../../kit/format/time.ts';
import { shortened, visibleLine, visiblePreview } from '../../kit/format/visible.ts';
import { exceptionOf, previewOf, type ShownAttempts, signatureOf, titleOf } from './row-text.ts';

const scientist = '\u{1f469}\u{1f3fd}\u200d\u{1f52c}';
const scotland = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';

describe('emoji', () => {
  test.each([scientist, scotland, '\u{1f3f3}\ufe0f\u200d\u{1f308}', '\u{1f1e9}\u{1f1ea}', '\u{1f44d}\u{1f3ff}'])(
    '%j stays whole',
    emoji => {
      expect(visibleLine(`a${emoji}b`)).toBe(`a${emoji}b`);
      expect(shortened(`a${emoji}b`, 2)).toBe(`a${emoji}`);
      expect(shortened(`${emoji}b`, 0)).toBe('');
    },
  );

  test('the same characters elsewhere are hidden ones', () => {
    expect(visibleLine('a\u200db')).toBe('a‹U+200D›b');
    expect(visibleLine('\u{1f469}\u200d')).toBe('\u{1f469}‹U+200D›');
    expect(visibleLine('\u{1f3f4}\u{e0061}\u{e007f}')).toBe('\u{1f3f4}‹U+E0061›‹U+E007F›');
    expect(visibleLine('\u{1f469}\u200d\u{1f52c}\u202e')).toBe('\u{1f469}\u200d\u{1f52c}‹U+202E›');
  });
});

describe('the line of a row', () => {
  test('has spaces for line breaks and tabs, and shows other control and bidi characters', () => {
    expect(visiblePreview('{\r\n\t"a": 1,\n  "b":\t2\n}')).toBe('{ "a": 1, "b": 2 }');
    expect(visiblePreview('a\u0000b\u202ec\u2028d')).toBe('a␀b‹U+202E›c d');
  });

  test('does not end in half an emoji', () => {
    expect(visiblePreview(`abc${scientist.slice(0, 5)}`)).toBe('abc\u{1f469}\u{1f3fd}');
    expect(visiblePreview(`${'x'.repeat(399)}${scientist}`)).toBe('x'.repeat(399));
  });

  test('has what is not in the title, else the beginning of the body', () => {
    const of = (highlights: string[], action: string | null, payloadPreview = '{}', size = 2) =>
      previewOf({ highlights, action, payloadPreview, size }).text;
    expect(of(['anna/tape', 'opened', '#12'], 'opened')).toBe('anna/tape · #12');
    expect(of(['opened'], 'opened', '{"action":"opened"}')).toBe('{"action":"opened"}');
    expect(of([], null, '', 0)).toBe('No body');
    expect(of([], null, 'a\0b')).toBe('Binary data');
  });
});

test('the title is the type with the action, else the path', () => {
  const of = (eventType: string | null, action: string | null, path = '') => titleOf({ eventType, action, path });
  expect(of('pull_request', 'opened')).toEqual({ text: 'pull_request · opened', isTyped: true });
  expect(of('push', null, '/x').text).toBe('push');
  expect(of(null, null, '/orders\u202e')).toEqual({ text: '/orders‹U+202E›', isTyped: false });
  expect(of(null, null).text).toBe('No event type');
  expect(of('x'.repeat(300), null).text).toBe('x'.repeat(120));
});

describe('the end of a row', () => {
  const usual = {
    verdict: 'none' as const,
    refused: null,
    answered: { status: 200, rule: null, delayMs: 0, fault: null, limited: false },
    delivery: { key: 'k', basis: 'header' as const, attempt: 2, attempts: 1 },
  };
  const several = { ...usual.delivery, attempts: 3 };
  const of = (change: object, attempts: ShownAttempts = 'count') =>
    exceptionOf({ ...usual, ...change }, attempts)?.text;
  const answered = (change: object) => ({ answered: { ...usual.answered, ...change } });

  test('names nothing that is as usual', () => {
    expect(of({})).toBeUndefined();
    for (const verdict of ['valid', 'unchecked', null]) expect(of({ verdict })).toBeUndefined();
    expect(of(answered({ status: 202, rule: 'slow', delayMs: 900 }))).toBeUndefined();
  });

  test('names one exception, the worst', () => {
    const refused = { refused: 405, ...answered({ status: 405 }), delivery: several };
    expect(of({ ...refused, verdict: 'invalid' })).toBe('Invalid signature');
    expect(of(refused)).toBe('Refused 405');
    expect(of({ delivery: several, ...answered({ status: 500 }) })).toBe('3 attempts · 500');
    expect(of({ delivery: several })).toBe('3 attempts');
    expect(of({ delivery: several }, 'place')).toBe('Attempt 2 of 3');
    expect(of({ delivery: several }, 'none')).toBeUndefined();
    expect(of(answered({ status: 500, rule: 'flaky' }))).toBe('Answered 500');
    expect(of(answered({ status: null, fault: 'reset' }))).toBe('Connection reset');
  });

  test('says what the signature is worth, unless nothing is known', () => {
    const texts = (['valid', 'invalid', 'unchecked', 'none', null] as const).map(verdict => signatureOf({ verdict }));
    expect(texts).toEqual(['Signature valid', 'Invalid signature', 'Signature not checked', 'No signature', undefined]);
  });
});

describe('times by the clock', () => {
  const at = (text: string): number => new Date(text).getTime();
  const now = at('2026-11-22T14:03:22');

  test.each([
    ['2026-11-22T00:00:00', '00:00:00', 'today at 00:00:00', 'Today'],
    ['2026-11-21T23:59:59', '21 Nov 23:59', 'yesterday at 23:59:59', 'Yesterday'],
    ['2026-11-20T09:05:07', '20 Nov 09:05', 'on 20 Nov 2026 at 09:05', 'Fri 20 Nov 2026'],
    ['2025-01-02T03:04:05', '2 Jan 2025', 'on 2 Jan 2025 at 03:04', 'Thu 2 Jan 2025'],
  ])('%s', (text, moment, long, day) => {
    const time = at(text);
    expect([formatMoment(time, now), formatLongMoment(time, now), formatDay(time, now)]).toEqual([moment, long, day]);
    expect(formatClock(time)).toBe(text.slice(11));
  });

  test('the next day begins at midnight, also at the end of a year', () => {
    expect(nextDay(at('2026-12-31T00:00:00'))).toBe(at('2027-01-01T00:00:00'));
  });
});
