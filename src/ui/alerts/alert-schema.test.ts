import { describe, expect, test } from 'bun:test';
import type { Alert } from '../../features/alerts/model.ts';
import { type DraftOf, differenceOf, draftOf, problemsOf, requestOf } from '../kit/schema.ts';
import { alertRules, newAlert, withKind } from './alert-schema.tsx';
import type { Kind } from './wording.ts';

type Draft = DraftOf<typeof alertRules.schema>;

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
  lastErrorCode: null,
  lastErrorStatus: null,
  lastErrorIsFinal: false,
  createdAt: 1,
};

const fresh = (kind: Kind): Draft => draftOf(alertRules.schema, newAlert(kind));
const requested = (draft: Draft): object => requestOf(alertRules, draft);

test('a request has only what its kind and channel take', () => {
  const draft: Draft = {
    ...fresh('silence'),
    'channel.url': ' hooks.slack.com/services/x ',
    'channel.to': 'a@b.c',
    'channel.secret': ['set', ' t '],
  };
  expect(requested(draft)).toEqual({
    name: '',
    kind: 'silence',
    where: null,
    minutes: 30,
    channel: { type: 'slack', url: 'https://hooks.slack.com/services/x' },
  });
  const other: Draft = { ...draft, ...withKind(draft, 'new_type'), where: 'type:a', 'channel.type': 'email' };
  expect(requested(other)).toEqual({ name: '', kind: 'new_type', channel: { type: 'email', to: 'a@b.c' } });
  const bad: Draft = { ...draft, ...withKind(draft, 'bad_signatures'), where: ' type:a ', 'channel.type': 'ntfy' };
  expect(requested(bad)).toEqual({
    name: '',
    kind: 'bad_signatures',
    where: 'type:a',
    minutes: 5,
    count: 3,
    channel: { type: 'ntfy', url: 'https://hooks.slack.com/services/x', secret: 't' },
  });
});

test('a time that was entered survives another kind', () => {
  const entered: Draft = { ...fresh('silence'), minutes: ['7', 'minute'] };
  expect(withKind(entered, 'forward_stuck')).toEqual({ kind: 'forward_stuck' });
  expect(withKind(fresh('forward_stuck'), 'silence').minutes).toEqual(['30', 'minute']);
});

describe('a change', () => {
  const draft = draftOf(alertRules.schema, alert);
  const changed = (given: Partial<Draft>) =>
    differenceOf(requested(draft) as never, requested({ ...draft, ...given }) as never);

  test('has only what differs', () => {
    expect(draft.minutes).toEqual(['2', 'hour']);
    expect(changed({})).toEqual({});
    // Another way to write the same time.
    expect(changed({ minutes: ['120', 'minute'] })).toEqual({});
    expect(changed({ minutes: ['3', 'hour'], where: '', name: 'New' })).toEqual({
      name: 'New',
      where: null,
      minutes: 180,
    });
    expect(changed({ 'channel.type': 'slack' })).toEqual({ channel: { type: 'slack', url: 'https://a.example/x' } });
  });

  test('removes a token with an empty secret', () => {
    expect(changed({ 'channel.type': 'ntfy', 'channel.secret': ['remove', ''] })).toMatchObject({
      channel: { secret: '' },
    });
  });

  test('a new secret is one of Standard Webhooks, another each time', () => {
    const secrets = [1, 2].map(() => {
      const { channel } = changed({ 'channel.secret': ['new', ''] }) as { channel: { secret: string } };
      return channel.secret;
    });
    for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(secrets[0]).not.toBe(secrets[1]);
  });
});

test.each<[Partial<Draft>, object]>([
  [{}, { 'channel.url': 'Enter the URL.' }],
  [{ 'channel.url': 'x', minutes: ['0', 'minute'] }, { minutes: 'Enter a whole number, at least 1.' }],
  [{ 'channel.url': 'x', minutes: ['1.5', 'minute'] }, { minutes: 'Enter a whole number, at least 1.' }],
  [{ 'channel.url': 'x', minutes: ['31', 'day'] }, { minutes: 'At most 30 days.' }],
  [{ 'channel.url': 'x', minutes: ['30', 'day'] }, {}],
  [{ 'channel.url': 'x', kind: 'bad_signatures', count: '1001' }, { count: 'Enter a whole number from 1 to 1,000.' }],
  [{ 'channel.url': 'x', kind: 'new_type', minutes: ['', 'minute'], count: '' }, {}],
  [{ 'channel.type': 'email', 'channel.url': 'x' }, { 'channel.to': 'Enter an email address.' }],
])('problems of %j', (given, problems) => {
  expect(problemsOf(alertRules, { ...fresh('silence'), ...given })).toEqual(problems);
});
