import { describe, expect, test } from 'bun:test';
import type { Forward } from '../../features/forwards/model.ts';
import {
  actWording,
  inText,
  isTroubled,
  lagSentence,
  nextText,
  reasonText,
  removalText,
  stateOf,
  stateSentence,
  successText,
} from './wording.ts';

const now = Date.UTC(2026, 10, 22, 14, 5);
const minute = 60_000;
const forward = (given: Partial<Forward> = {}): Forward => ({
  ...{ id: 'fwd_1', name: 'one', url: 'https://example.com/', where: '', mode: 'parallel', orderBy: null },
  ...{ sign: 'as-captured', headers: [], timeoutS: 30, retry: { for: '24h', first: '5s', max: '1h' }, per: 'event' },
  ...{ enabled: true, waiting: 0, failed: 0, givenUp: 0, lagS: 0, state: 'ok', failingSince: null, probeAt: null },
  ...{ lastStatus: null, lastError: null, createdAt: now, request: null },
  ...given,
});

describe('the state of a forward', () => {
  test.each<[Partial<Forward>, string, string]>([
    [{}, 'Up to date', 'All events delivered.'],
    [{ waiting: 2 }, 'Sending', 'Delivering events.'],
    [{ failed: 1, waiting: 2 }, 'Retrying', 'Retrying events that were not accepted.'],
    [{ failed: 1, failingSince: now - 3 * minute }, 'Retrying', 'Every attempt has failed since '],
    [
      { failed: 1, waiting: 9, probeAt: now + 43_000 },
      'Retrying',
      'The destination has asked to wait. It gets the next event in 43 s.',
    ],
    [{ state: 'paused', waiting: 9 }, 'Paused', 'Paused. Events are queued until you resume it.'],
    [{ state: 'probing', failed: 1 }, 'Down', 'Trying one event a minute.'],
  ])('%j is %s', (given, label, sentence) => {
    expect(stateOf(forward(given)).label).toBe(label);
    expect(stateSentence(forward(given), now)).toStartWith(sentence);
  });

  test('of a destination that is down says since when, and when it is asked next', () => {
    const down = forward({ state: 'probing', failingSince: now - 123 * minute, probeAt: now + 43_000 });
    expect(stateSentence(down, now)).toMatch(
      /^Failing since \d\d:\d\d \(2 h 3 min\)\. Trying one event a minute; next try in 43 s\.$/,
    );
  });

  test('the age of the oldest event is named, but not when nothing waits', () => {
    expect(lagSentence(forward({ failed: 1, lagS: 7380 }))).toBe('Oldest undelivered: 2 h 3 min.');
    expect(lagSentence(forward({ lagS: 0 }))).toBe('');
  });
});

describe('the figures of a forward', () => {
  test.each<[number, number, string]>([
    [0, 0, '–'],
    [7, 0, '100 %'],
    [0, 3, '0 %'],
    [14_606, 6, '99.95 %'],
    [999_999, 1, '99.99 %'],
    [6101, 56, '99.09 %'],
    [1, 2, '33 %'],
    [1, 999, '0.1 %'],
  ])('%p delivered and %p failed are %p', (delivered, failed, text) => {
    expect(successText({ delivered, failed })).toBe(text);
  });

  test.each<[Partial<Forward>, boolean]>([
    [{}, false],
    [{ waiting: 3, lagS: 5 }, false],
    [{ waiting: 3, lagS: 90 }, true],
    [{ failed: 1 }, true],
    [{ givenUp: 1 }, true],
    [{ probeAt: now }, true],
    [{ state: 'paused' }, true],
    [{ state: 'probing' }, true],
  ])('%j needs a look: %p', (given, isLookNeeded) => {
    expect(isTroubled(forward(given))).toBe(isLookNeeded);
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
    ['failed', now + minute, { state: 'paused' }, 'after you resume'],
    ['waiting', now, { state: 'probing' }, 'when the destination is back'],
    ['waiting', null, { mode: 'ordered' }, 'after earlier events in its lane'],
    ['given_up', null, {}, ''],
  ])('%s, next at %p, with %j: %p', (state, nextAt, given, text) => {
    expect(nextText({ state, nextAt }, forward(given), now)).toBe(text);
  });

  test('a time in the past is now', () => expect(inText(now - 1, now)).toBe('now'));
});

describe('a confirmation', () => {
  test('of deleting says how many events are not sent', () => {
    expect(removalText(forward({ waiting: 1 }))).toStartWith(
      "1 event waiting won't be sent. Requests in progress are cancelled. The events stay stored.",
    );
    expect(removalText(forward({ waiting: 1000, failed: 1, givenUp: 2 }))).toStartWith(
      "1,001 events waiting won't be sent. Its list of 2 undelivered events is deleted.",
    );
    expect(removalText(forward())).toStartWith('No events are waiting.');
  });

  test('of skipping what blocks says what that is in each mode', () => {
    expect(actWording('skip-blocked', { mode: 'ordered' }).title).toContain('each lane');
    expect(actWording('skip-blocked', { mode: 'parallel' }).title).toBe('Skip all failed events?');
    expect(actWording('retry-given-up', { mode: 'parallel' }).button(1)).toBe('Retry 1 event');
  });
});
