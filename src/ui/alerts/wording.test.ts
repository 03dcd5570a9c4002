import { describe, expect, test } from 'bun:test';
import type { AlertErrorCode } from '../../shared/alerts.ts';
import {
  type Condition,
  conditionParts,
  explainError,
  failureOf,
  minutesText,
  stateOf,
  targetText,
  testText,
} from './wording.ts';

const none = { where: null, minutes: null, count: null };

const conditionText = (condition: Condition): string =>
  conditionParts(condition)
    .filter(part => part !== '')
    .join(' ');

describe('conditionParts', () => {
  test.each<[Condition, string]>([
    [{ ...none, kind: 'silence', minutes: 30 }, 'no event arrives for 30 minutes'],
    [
      { ...none, kind: 'silence', minutes: 30, where: 'type:order.*' },
      'no event that matches type:order.* arrives for 30 minutes',
    ],
    [{ ...none, kind: 'silence', minutes: 1 }, 'no event arrives for 1 minute'],
    [{ ...none, kind: 'bad_signatures', minutes: 5, count: 3 }, '3 events have an invalid signature within 5 minutes'],
    [
      { ...none, kind: 'bad_signatures', minutes: 60, count: 1, where: 'platform:stripe' },
      '1 event that matches platform:stripe has an invalid signature within 1 hour',
    ],
    [
      { ...none, kind: 'bad_signatures', minutes: 90, count: 2, where: 'platform:stripe' },
      '2 events that match platform:stripe have an invalid signature within 90 minutes',
    ],
    [{ ...none, kind: 'new_type' }, 'a new event type arrives'],
    [{ ...none, kind: 'schema_change' }, 'a field of a known event type is added, removed or changes its type'],
    [
      { ...none, kind: 'schema_change', where: 'type:a' },
      'a field is added, removed or changes its type in an event that matches type:a',
    ],
    [{ ...none, kind: 'forward_stuck', minutes: 1440 }, 'every attempt of a forward has failed for 1 day'],
  ])('%j', (condition, text) => expect(conditionText(condition)).toBe(text));
});

test.each<[number, string]>([
  [1, '1 minute'],
  [90, '90 minutes'],
  [120, '2 hours'],
  [1440, '1 day'],
  [43_200, '30 days'],
])('%d minutes are %s', (minutes, text) => expect(minutesText(minutes)).toBe(text));

test('an alert is off, firing, OK, or reports what is new', () => {
  expect(stateOf({ kind: 'silence', enabled: false, firing: false }).label).toBe('Off');
  expect(stateOf({ kind: 'silence', enabled: true, firing: true }).label).toBe('Firing');
  expect(stateOf({ kind: 'silence', enabled: true, firing: false }).label).toBe('OK');
  expect(stateOf({ kind: 'new_type', enabled: true, firing: false }).label).toBe('Watching');
});

test('a target shows no credential of Slack or Discord', () => {
  const channel = { to: null, secret: null };
  const slack = { ...channel, type: 'slack' as const, url: 'https://hooks.slack.com/services/T0/B0/very-secret-wxyz' };
  expect(targetText(slack)).toBe('hooks.slack.com/…wxyz');
  expect(targetText({ ...slack, type: 'discord', url: 'https://discord.com/api/webhooks/1/abcd?thread_id=2' })).toBe(
    'discord.com/…abcd',
  );
  expect(targetText({ ...slack, type: 'webhook', url: 'https://a.example/x?y' })).toBe('https://a.example/x?y');
  expect(targetText({ ...channel, type: 'email', url: null, to: 'a@b.example' })).toBe('a@b.example');
  // Sealed with a secret that is gone.
  expect(targetText({ ...slack, url: null })).toBe('');
});

describe('explainError', () => {
  const url = 'http://10.0.0.5:8080/x';
  test.each<[AlertErrorCode | null, number | null, 'slack' | 'ntfy' | 'webhook' | 'email', string, string | undefined]>(
    [
      ['not_public', null, 'webhook', 'public', 'HOOKTAPE_REPLAY_ALLOW=10.0.0.5'],
      ['port_not_allowed', null, 'webhook', 'port', 'HOOKTAPE_REPLAY_ALLOW=10.0.0.5:8080'],
      [
        'rejected',
        404,
        'slack',
        'Slack responded with 404. The webhook may have been deleted: check the URL.',
        undefined,
      ],
      [
        'rejected',
        403,
        'ntfy',
        'The ntfy server responded with 403. The topic needs an access token, or the saved token is wrong.',
        undefined,
      ],
      ['rejected', 418, 'webhook', 'The receiver responded with 418.', undefined],
      ['rejected', 302, 'webhook', 'Redirects are not followed', undefined],
      ['channel_unreadable', null, 'slack', 'enter the channel again', undefined],
      [
        'email_not_set_up',
        null,
        'email',
        'Email is no longer set up on this server. The operator can set it up with',
        'HOOKTAPE_SMTP_URL',
      ],
      [null, null, 'webhook', 'Connection refused.', undefined],
    ],
  )('%s %p (%s)', (code, status, type, text, setting) => {
    const explained = explainError({ error: 'connection refused', code, status }, { type, url });
    expect(explained.text).toContain(text);
    expect(explained.setting).toBe(setting);
  });
});

describe('failureOf', () => {
  const channel = { type: 'slack' as const, url: 'https://hooks.slack.com/x', to: null, secret: null };
  test.each<[string, boolean, boolean, boolean, string, string]>([
    ['the connection failed', false, true, true, "hasn't arrived yet", 'The connection failed.'],
    ['the connection failed', false, false, false, "hasn't arrived yet", 'The connection failed.'],
    ['given up: no answer', true, true, false, "won't be sent again", 'Given up: no answer.'],
    ['any other text', true, true, false, "won't be sent again", 'Any other text.'],
  ])('%s, final: %p, enabled: %p', (lastError, lastErrorIsFinal, enabled, willRetry, lead, text) => {
    const last = { lastError, lastErrorCode: null, lastErrorStatus: null, lastErrorIsFinal };
    const failure = failureOf({ ...last, enabled, channel });
    expect(failure?.willRetry).toBe(willRetry);
    expect(failure?.lead).toContain(lead);
    expect(failure?.text).toBe(text);
  });
  test('none without an error', () => {
    const last = { lastError: null, lastErrorCode: null, lastErrorStatus: null, lastErrorIsFinal: false };
    expect(failureOf({ ...last, enabled: true, channel })).toBeUndefined();
  });
});

test('a test says who took it', () => {
  expect(testText({ ok: true, status: 204, error: null, errorCode: null }, { type: 'discord', url: null }).text).toBe(
    'Discord responded with 204.',
  );
  expect(
    testText({ ok: true, status: 250, error: null, errorCode: null }, { type: 'email', url: null }).text,
  ).toContain('inbox');
  expect(
    testText({ ok: false, status: null, error: 'the connection failed', errorCode: null }, { type: 'slack', url: null })
      .text,
  ).toBe('The connection failed.');
});
