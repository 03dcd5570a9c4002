import { describe, expect, test } from 'bun:test';
import type { EventSummary } from '../../features/events/model.ts';
import { draftOf, problemsOf } from '../kit/schema.ts';
import { describeCredentials } from './guard-hint.tsx';
import { type Guard, type GuardDraft, guardOf, guardRules, newToken, withPlace } from './guard-schema.tsx';
import { describeRefused, otherThan } from './use-refused.ts';

const whole: Guard = {
  methods: ['POST', 'PURGE'],
  cidrs: ['10.0.0.0/8', '2001:db8::/32'],
  basic: { user: 'mira', password: '[set]' },
  token: { in: 'query', name: 'token', value: '[set]' },
  onRefuse: 'drop',
};

const drafted = (guard: Guard | null): GuardDraft => draftOf(guardRules.schema, guard ?? {});

describe('a guard as a draft', () => {
  test('becomes the same guard again, and keeps secrets that are not replaced', () => {
    for (const guard of [whole, null, { methods: ['GET'], onRefuse: 'record' as const }]) {
      expect(guardOf(drafted(guard))).toEqual(guard);
      expect(problemsOf(guardRules, drafted(guard))).toEqual({});
    }
  });

  test('has its secrets replaced by what is typed, never by nothing', () => {
    const draft = drafted(whole);
    expect(guardOf({ ...draft, 'basic.password': ' new', 'token.value': 'abc' })).toMatchObject({
      basic: { password: ' new' },
      token: { value: 'abc' },
    });
    const empty = { ...draft, 'basic.password': '', 'token.value': '' };
    expect(Object.keys(problemsOf(guardRules, empty))).toEqual(['basic.password', 'token.value']);
  });

  test('without conditions is no guard', () => {
    const draft: GuardDraft = { ...drafted(whole), methods: [], cidrs: ' \n', basic: false, 'token.in': '' };
    expect(guardOf(draft)).toBeNull();
  });

  test('names what is wrong', () => {
    const draft: GuardDraft = {
      ...drafted(null),
      ...{ cidrs: '10.0.0.0/8\n10.0.0.0/40', basic: true, 'basic.user': 'a:b', 'token.in': 'header' },
    };
    const problems = problemsOf(guardRules, draft);
    expect(Object.keys(problems)).toEqual(['cidrs', 'basic.user', 'basic.password', 'token.name', 'token.value']);
    expect(problems.cidrs).toStartWith('10.0.0.0/40 is not');
  });
});

test('another place for the token has another usual name, which does not replace one that was entered', () => {
  const draft = drafted(null);
  expect(withPlace(draft, 'header')).toEqual({ 'token.in': 'header', 'token.name': 'X-Hook-Token' });
  expect(withPlace({ ...draft, 'token.name': 'mine' }, 'query')).toEqual({ 'token.in': 'query' });
});

test('what senders have to add is said, and never a secret', () => {
  expect(describeCredentials(null)).toBe('');
  expect(describeCredentials({ methods: ['POST'], onRefuse: 'drop' })).toBe('');
  expect(describeCredentials(whole)).toBe(
    'The guard requires the token, as ?token=… at the end of the URL, and the user name mira and its password (HTTP Basic).',
  );
});

test('generated tokens have 32 letters and digits, each as likely as any other', () => {
  const counts = new Map<string, number>();
  for (let n = 0; n < 500; n++) {
    const token = newToken();
    expect(token).toMatch(/^[A-Za-z0-9]{32}$/);
    for (const letter of token) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  // 258 each on average; a modulo of all bytes would give the first eight 25 % more.
  expect(counts.size).toBe(62);
  const first = 'ABCDEFGH'.split('').reduce((sum, letter) => sum + (counts.get(letter) ?? 0), 0) / 8;
  expect(first).toBeLessThan(290);
});

test('deliveries that would be refused are found by a filter, and counted by platform', () => {
  expect(otherThan('ip', [])).toBeUndefined();
  expect(otherThan('ip', ['10.0.0.0/8', '2001:db8::/32'])).toBe('-ip:10.0.0.0/8 -ip:"2001:db8::/32"');
  expect(otherThan('method', ['POST'])).toBe('-method:POST');
  const event = (platform: string | null) => ({ platform }) as EventSummary;
  expect(describeRefused([], 10, 'came')).toBe('');
  expect(describeRefused([event('github'), event(null), event('github')], 40, 'came from other networks')).toBe(
    '3 of the last 40 deliveries came from other networks, including GitHub. They would be refused.',
  );
  expect(describeRefused([event(null)], 1, 'had other methods')).toBe(
    'The last delivery had other methods. They would be refused.',
  );
});
