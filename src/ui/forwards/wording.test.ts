import { describe, expect, test } from 'bun:test';
import type { Forward } from '../../features/forwards/model.ts';
import {
  actWording,
  inText,
  lagSentence,
  markOf,
  nextText,
  reasonText,
  removalText,
  stateOf,
  stateSentence,
} from './wording.ts';

const now = Date.UTC(2026, 10, 22, 14, 5);
const minute = 60_000;
const forward = (given: Partial<Forward> = {}): Forward => ({
  ...{ id: 'fwd_1', name: 'one', url: 'https://example.com/', where: '', mode: 'parallel', orderBy: null },
  ...{ sign: 'as-captured', headers: [], timeoutS: 30, retry: { for: '24h', first: '5s', max: '1h' }, per: 'event' },
  ...{ enabled: true, waiting: 0, failed: 0, givenUp: 0, lagS: 0, state: 'ok', failingSince: null, probeAt: null },
  ...{ lastStatus: null, lastError: null, createdAt: now },
  ...given,
});

describe('the state of a forward', () => {
  test.each<[Partial<Forward>, string, string]>([
    [{}, 'Up to date', 'Nothing waits.'],
    [{ waiting: 2 }, 'Sending', 'Events are on their way.'],
    [{ failed: 1, waiting: 2 }, 'Retrying', 'Some events were not accepted yet, and are tried again.'],
    [{ failed: 1, failingSince: now - 3 * minute }, 'Retrying', 'Every attempt has failed since '],
    [
      { failed: 1, waiting: 9, probeAt: now + 43_000 },
      'Retrying',
      'The destination has asked to wait. It gets the next event in 43 s.',
    ],
    [{ state: 'paused', waiting: 9 }, 'Paused', 'Nothing is sent until it is resumed. Events wait.'],
    [{ state: 'probing', failed: 1 }, 'Down', 'The destination is down. It is asked with one event a minute.'],
  ])('%j is %s', (given, label, sentence) => {
    expect(stateOf(forward(given)).label).toBe(label);
    expect(stateSentence(forward(given), now)).toStartWith(sentence);
  });

  test('of a destination that is down says since when, and when it is asked next', () => {
    const down = forward({ state: 'probing', failingSince: now - 123 * minute, probeAt: now + 43_000 });
    expect(stateSentence(down, now)).toMatch(
      /^The destination is down\. It has failed since \d\d:\d\d \(2 h 3 min\)\. It is asked with one event a minute, next in 43 s\.$/,
    );
  });

  test('the oldest event is named by time and by age, and not when nothing waits', () => {
    expect(lagSentence(forward({ failed: 1, lagS: 7380 }), now)).toMatch(
      /^The oldest event has waited since \d\d:\d\d \(2 h 3 min\)\.$/,
    );
    expect(lagSentence(forward({ lagS: 0 }), now)).toBe('');
  });
});

describe('an event that was not accepted', () => {
  test.each<[number | null, string | null, string]>([
    [503, null, '503 Service Unavailable'],
    [null, 'connection refused', 'Connection refused'],
    [404, 'answered 404, 3 times', '404 Not Found: Answered 404, 3 times'],
    [503, 'not delivered within 24h', '503 Service Unavailable: Not delivered within 24h'],
    [null, null, ''],
  ])('%p and %p read as %p', (lastStatus, lastError, text) => {
    expect(reasonText({ lastStatus, lastError })).toBe(text);
  });

  test.each<['waiting' | 'failed' | 'given_up', number | null, Partial<Forward>, string]>([
    ['failed', now + 90_000, {}, 'in 1 min 30 s'],
    ['failed', now - minute, {}, 'now'],
    ['waiting', now - minute, { probeAt: now + minute }, 'in 1 min'],
    ['failed', now + minute, { state: 'paused' }, 'when it is resumed'],
    ['waiting', now, { state: 'probing' }, 'when the destination answers'],
    ['waiting', null, { mode: 'ordered' }, 'after the events before it'],
    ['given_up', null, {}, ''],
  ])('%s, next at %p, with %j: %p', (state, nextAt, given, text) => {
    expect(nextText({ state, nextAt }, forward(given), now)).toBe(text);
  });

  test('a time in the past is now', () => expect(inText(now - 1, now)).toBe('now'));
});

describe('the mark of an endpoint', () => {
  const down = forward({ state: 'probing', failed: 1200, waiting: 4 });
  test.each<[Forward[], string, string]>([
    [[forward()], '1 forward', 'info'],
    [[forward(), forward({ waiting: 3 })], '2 forwards', 'info'],
    [[down], 'Forward down, 1,204 waiting', 'bad'],
    [[down, forward({ givenUp: 2 }), forward({ state: 'paused' })], '1 of 3 forwards down, 2 given up', 'bad'],
    [[forward({ givenUp: 2 })], 'Forwards: 2 given up', 'bad'],
    [[forward({ state: 'paused' })], 'Forward paused', 'warn'],
  ])('%#: the worst comes first', (forwards, label, tone) => {
    expect(markOf(forwards)).toEqual({ label, tone } as ReturnType<typeof markOf>);
  });
});

describe('a confirmation', () => {
  test('of deleting says how many events are not sent', () => {
    expect(removalText(forward({ waiting: 1 }))).toStartWith("1 event that waits for it won't be sent.");
    expect(removalText(forward({ waiting: 1000, failed: 1, givenUp: 2 }))).toStartWith(
      "1,001 events that wait for it won't be sent. Its list of 2 given-up events is removed.",
    );
    expect(removalText(forward())).toStartWith('Nothing waits for it.');
  });

  test('of skipping what blocks says what that is in each mode', () => {
    expect(actWording('skip-blocked', { mode: 'ordered' }).title).toContain('each lane');
    expect(actWording('skip-blocked', { mode: 'parallel' }).title).toBe('Skip all failed events?');
    expect(actWording('retry-given-up', { mode: 'parallel' }).button(1)).toBe('Retry 1 event');
  });
});
