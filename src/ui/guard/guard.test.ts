import { describe, expect, test } from 'bun:test';
import type { EventSummary } from '../../features/events/model.ts';
import { describeCredentials } from './credentials.ts';
import { draftOf, type Guard, guardOf, newToken, problemOfError } from './draft.ts';
import { describeRefused, otherThan } from './use-refused.ts';

const whole: Guard = {
  methods: ['POST', 'PURGE'],
  cidrs: ['10.0.0.0/8', '2001:db8::/32'],
  basic: { user: 'mira', password: '[set]' },
  token: { in: 'query', name: 'token', value: '[set]' },
  onRefuse: 'drop',
};

describe('a guard as a draft', () => {
  test('becomes the same guard again, and keeps secrets that are not replaced', () => {
    for (const guard of [whole, null, { methods: ['GET'], onRefuse: 'record' as const }])
      expect(guardOf(draftOf(guard))).toEqual({ guard, problems: {} });
  });

  test('has its secrets replaced by what is typed, never by nothing', () => {
    const draft = draftOf(whole);
    expect(guardOf({ ...draft, password: 'new', token: 'abc' }).guard).toMatchObject({
      basic: { password: 'new' },
      token: { value: 'abc' },
    });
    expect(Object.keys(guardOf({ ...draft, password: '', token: '' }).problems)).toEqual(['password', 'token']);
  });

  test('without conditions is none', () => {
    const draft = { ...draftOf(whole), methods: [], networks: ' \n', hasBasic: false, tokenIn: '' as const };
    expect(guardOf(draft).guard).toBeNull();
  });

  test('names what is wrong', () => {
    const draft = {
      ...draftOf(null),
      networks: '10.0.0.0/8\n10.0.0.0/40',
      hasBasic: true,
      user: 'a:b',
      tokenIn: 'header' as const,
    };
    const { problems } = guardOf(draft);
    expect(Object.keys(problems).sort()).toEqual(['networks', 'password', 'token', 'tokenName', 'user']);
    expect(problems.networks).toStartWith('10.0.0.0/40 is not');
  });
});

test('a refusal of the server stands at its field', () => {
  expect(problemOfError('Invalid body: guard.token.name: must be the name of a header.')).toEqual({
    problems: { tokenName: 'Must be the name of a header.' },
    message: '',
  });
  expect(problemOfError('Invalid body: guard.cidrs.3: must be an address.').problems).toEqual({
    networks: 'Must be an address.',
  });
  expect(problemOfError('Forbidden.')).toEqual({ problems: {}, message: 'Forbidden.' });
});

test('what senders have to add is said, and never a secret', () => {
  expect(describeCredentials(null)).toBe('');
  expect(describeCredentials({ methods: ['POST'], onRefuse: 'drop' })).toBe('');
  expect(describeCredentials(whole)).toBe(
    'The guard asks for the token, as ?token=… at the end of the URL, and the user name mira and its password (HTTP Basic).',
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
    '3 of the last 40 deliveries came from other networks, among them GitHub. Senders like these would be refused.',
  );
  expect(describeRefused([event(null)], 1, 'had other methods')).toBe(
    'The last delivery had other methods. Senders like these would be refused.',
  );
});
