import { describe, expect, test } from 'bun:test';
import type { Alert } from '../../features/alerts/model.ts';
import { ApiError } from '../kit/api.ts';
import { changeOf, draftOf, newDraft, problemOfError, problemsOf, requestOf, withKind } from './draft.ts';

const alert: Alert = {
  id: 'alr_1',
  name: 'No orders',
  kind: 'silence',
  where: 'type:order.*',
  minutes: 120,
  count: null,
  channel: { type: 'webhook', url: 'https://a.example/x', to: null, secret: null },
  enabled: true,
  firing: false,
  changedAt: null,
  lastSentAt: null,
  lastError: null,
  createdAt: 1,
};

test('a request has only what its kind and channel take, and a default name', () => {
  const draft = { ...newDraft('silence'), url: ' hooks.slack.com/services/x ', to: 'a@b.c', token: 't' };
  expect(requestOf(draft)).toEqual({
    name: 'No events',
    kind: 'silence',
    minutes: 30,
    channel: { type: 'slack', url: 'https://hooks.slack.com/services/x' },
  });
  const other = { ...withKind(draft, 'new_type'), where: 'type:a', channelType: 'email' as const };
  expect(requestOf(other)).toEqual({
    name: 'New event types',
    kind: 'new_type',
    channel: { type: 'email', to: 'a@b.c' },
  });
  const bad = { ...withKind(draft, 'bad_signatures'), where: ' type:a ', channelType: 'ntfy' as const };
  expect(requestOf(bad)).toEqual({
    name: 'Invalid signatures',
    kind: 'bad_signatures',
    where: 'type:a',
    minutes: 5,
    count: 3,
    channel: { type: 'ntfy', url: 'https://hooks.slack.com/services/x', secret: 't' },
  });
});

test('a time that was entered survives another kind', () => {
  expect(withKind({ ...newDraft('silence'), amount: '7' }, 'forward_stuck').amount).toBe('7');
  expect(withKind(newDraft('forward_stuck'), 'silence').amount).toBe('30');
});

describe('changeOf', () => {
  test('has only what differs', () => {
    const draft = draftOf(alert);
    expect(draft).toMatchObject({ amount: '2', unit: 'hour' });
    expect(changeOf(draft, alert)).toEqual({});
    // Another way to say the same.
    expect(changeOf({ ...draft, amount: '120', unit: 'minute' }, alert)).toEqual({});
    expect(changeOf({ ...draft, amount: '3', where: '', name: 'New' }, alert)).toEqual({
      name: 'New',
      where: null,
      minutes: 180,
    });
    expect(changeOf({ ...draft, channelType: 'slack' }, alert)).toEqual({
      channel: { type: 'slack', url: 'https://a.example/x' },
    });
  });

  test('a new secret is one of Standard Webhooks, another each time', () => {
    const made = [1, 2].map(() => changeOf({ ...draftOf(alert), isNewSecret: true }, alert).channel?.secret ?? '');
    for (const secret of made) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(made[0]).not.toBe(made[1]);
  });
});

test.each<[object, object]>([
  [{}, { url: 'Enter the URL.' }],
  [{ url: 'x', amount: '0' }, { amount: 'Enter a whole number, at least 1.' }],
  [{ url: 'x', amount: '1.5' }, { amount: 'Enter a whole number, at least 1.' }],
  [{ url: 'x', amount: '31', unit: 'day' }, { amount: 'At most 30 days.' }],
  [{ url: 'x', amount: '30', unit: 'day' }, {}],
  [{ url: 'x', kind: 'bad_signatures', count: '1001' }, { count: 'Enter a whole number from 1 to 1,000.' }],
  [{ url: 'x', kind: 'new_type', amount: '', count: '' }, {}],
  [{ channelType: 'email', url: 'x' }, { to: 'Enter the address that gets the emails.' }],
])('problems of %j', (given, problems) => {
  expect(problemsOf({ ...newDraft('silence'), ...given })).toEqual(problems);
});

describe('problemOfError', () => {
  const refused = (error: string, details = {}) => problemOfError(new ApiError(400, error, { error, ...details }));
  test.each([
    ['channel.url: required for slack', 'url', 'Required for slack.'],
    ['channel.url must be an absolute http or https URL', 'url', 'Must be an absolute http or https URL.'],
    [
      'channel.to: must be an email address like name@example.com',
      'to',
      'Must be an email address like name@example.com.',
    ],
    ['channel.secret: must be an access token of ntfy', 'token', 'Must be an access token of ntfy.'],
    ['channel: email is not set up on this server', 'channel', 'Email is not set up on this server.'],
    ['name must not contain control characters', 'name', 'Must not contain control characters.'],
    [
      'invalid body: minutes: Expected integer to be less or equal to 43200',
      'amount',
      'Expected integer to be less or equal to 43200.',
    ],
    ['invalid where: too long for an alert', 'where', 'Too long for an alert.'],
  ] as const)('%s', (text, field, message) => expect(refused(text)).toEqual({ field, message }));

  test('a filter has its place', () => {
    const { field, filter } = refused('invalid where: there is no field "tpye"', { position: 4, nearest: 'type' });
    expect([field, filter?.message, filter?.position, filter?.nearest]).toEqual([
      'where',
      'there is no field "tpye"',
      4,
      'type',
    ]);
  });

  test('what belongs to no field is said as it is', () => {
    expect(refused('something else')).toEqual({ message: 'something else' });
    expect(problemOfError(new ApiError(403, 'An endpoint has at most 20 alerts.'))).toEqual({
      message: 'An endpoint has at most 20 alerts.',
    });
  });
});
