/* The guard without a server: its decisions and its answers. */
import { describe, expect, test } from 'bun:test';
import { endpointGuard } from './check.ts';
import type { Guard } from './model.ts';
import { readGuard } from './read.ts';

const fields = (...lines: string[]) => Buffer.from(lines.map(line => `${line}\r\n`).join(''), 'latin1');
const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`;
const request = { method: 'POST', sourceIp: '192.0.2.7', fields: fields('Host: x'), query: null };

const check = (guard: Omit<Guard, 'onRefuse'>, given: Partial<typeof request> | { query: string }) =>
  endpointGuard({ ...guard, onRefuse: 'drop' }).check({ ...request, ...given })?.refusal?.status ?? 'taken';

describe('the network', () => {
  test.each([
    ['192.0.2.0/24', '192.0.2.7', 'taken'],
    ['192.0.2.0/24', '192.0.3.7', 403],
    ['192.0.2.7', '192.0.2.7', 'taken'],
    ['2001:db8::/32', '2001:db8:1::1', 'taken'],
    ['2001:db8::/32', '2001:db9::1', 403],
    ['::ffff:192.0.2.0/120', '192.0.2.7', 'taken'],
    ['0.0.0.0/0', '2001:db8::1', 403],
    ['::/0', '192.0.2.7', 403],
    ['0.0.0.0/0', '', 403],
  ])('%s and a delivery from %s: %s', (cidr, sourceIp, expected) => {
    expect(check({ cidrs: [cidr] }, { sourceIp })).toBe(expected as 403);
  });
});

describe('credentials', () => {
  const guard = { basic: { user: 'shop', password: 'pä:ß word' } };
  test.each([
    ['the right ones', [basic('shop:pä:ß word')], 'taken'],
    ['another case of the scheme', [basic('shop:pä:ß word').replace('Basic', 'bAsIc')], 'taken'],
    ['none', [], 401],
    ['a wrong user', [basic('shap:pä:ß word')], 401],
    ['a wrong password', [basic('shop:pä:ß')], 401],
    ['a colon that moved', [basic('shop:pä:ß word').replace(':', '::')], 401],
    ['an empty value', ['Authorization: Basic '], 401],
    ['another scheme', [basic('shop:pä:ß word').replace('Basic', 'Bearer')], 401],
    ['the header twice', [basic('shop:pä:ß word'), basic('shop:pä:ß word')], 401],
    ['text behind them', [`${basic('shop:pä:ß word')} x`], 401],
  ])('basic: %s', (_name, lines, expected) => {
    expect(check(guard, { fields: fields('Host: x', ...lines) })).toBe(expected as 401);
  });

  test.each([
    ['token=s3cret%2Bx', 'taken'],
    ['token=s3cret+x', 'taken'],
    ['a=1&%74oken=s3cret%2bx', 'taken'],
    ['token=s3cret', 401],
    ['Token=s3cret%2Bx', 401],
    ['token=s3cret%2Bx&token=s3cret%2Bx', 401],
    ['token=wrong&%74oken=s3cret%2Bx', 401],
    ['token', 401],
    ['token=', 401],
    ['token=%zz', 401],
    ['', 401],
    [null, 401],
  ])('token in the query: %p', (query, expected) => {
    const token = { in: 'query', name: 'token', value: 's3cret+x' } as const;
    expect(check({ token }, { query: query as string })).toBe(expected as 401);
  });

  test('a token in a header: the name ignores case, the value does not, and two of them are refused', () => {
    const token = { in: 'header', name: 'X-Hook-Token', value: 'Bearer abc' } as const;
    const of = (...lines: string[]) => check({ token }, { fields: fields(...lines) });
    expect(of('x-hook-TOKEN:  Bearer abc ')).toBe('taken');
    expect([
      of('X-Hook-Token: bearer abc'),
      of('X-Hook-Token:'),
      of(),
      of('X-Hook-Token: Bearer abc', 'x-hook-token: y'),
    ]).toEqual([401, 401, 401, 401]);
  });

  test('refusals cannot be told apart, and only basic sends a challenge', () => {
    const guard = endpointGuard({
      basic: { user: 'shop', password: 'right' },
      token: { in: 'query', name: 't', value: 'token' },
      onRefuse: 'drop',
    });
    const refusals = [
      { fields: fields(), query: null },
      { fields: fields(basic('shop:right')), query: 't=wrong' },
      { fields: fields(basic('shop:wrong')), query: 't=token' },
      { fields: fields(basic('wrong:right')), query: 't=token' },
      { fields: fields(basic(`wrong:${'x'.repeat(5000)}`)), query: `t=${'x'.repeat(5000)}` },
    ].map(given => guard.check({ ...request, ...given })?.refusal);
    expect(new Set(refusals.map(one => JSON.stringify(one))).size).toBe(1);
    expect(refusals[0]?.headers['www-authenticate']).toBe('Basic realm="hooktape", charset="UTF-8"');
    const token = endpointGuard({ token: { in: 'query', name: 't', value: 'token' }, onRefuse: 'drop' });
    expect(token.check(request)?.refusal).toMatchObject({ status: 401, headers: {} });
  });

  test('a password that could not be decrypted lets no one in', () => {
    const unreadable = { basic: { user: 'shop', password: '' } };
    for (const text of ['shop:', 'shop', ':', '']) expect(check(unreadable, { fields: fields(basic(text)) })).toBe(401);
  });
});

test('network before method before credential; all of them must hold', () => {
  const guard = { cidrs: ['10.0.0.0/8'], methods: ['POST', 'PUT'], basic: { user: 'a', password: 'b' } };
  expect(check(guard, { method: 'GET' })).toBe(403);
  expect(check(guard, { method: 'GET', sourceIp: '10.0.0.1' })).toBe(405);
  expect(check(guard, { sourceIp: '10.0.0.1' })).toBe(401);
  expect(check(guard, { sourceIp: '10.0.0.1', fields: fields(basic('a:b')) })).toBe('taken');
  expect(check(guard, { sourceIp: '10.0.0.1', method: 'post', fields: fields(basic('a:b')) })).toBe(405);
  const { check: whole } = endpointGuard({ ...guard, onRefuse: 'drop' });
  expect(whole({ ...request, method: 'GET', sourceIp: '10.1.1.1' })?.refusal?.headers).toEqual({ allow: 'POST, PUT' });
});

describe('reading a guard', () => {
  const stored: Guard = {
    basic: { user: 'a', password: 'old' },
    token: { in: 'header', name: 'X', value: 'tok' },
    onRefuse: 'drop',
  };
  const problems = (given: unknown, from: Guard | null = null) => {
    const result = readGuard(given, from);
    return 'problems' in result ? result.problems.map(({ path, message }) => `${path.join('.')}: ${message}`) : [];
  };
  const methods = ['post', 'PUT', 'POST'];

  test('accepts a valid guard, with each method once and in upper case', () => {
    const given = {
      methods,
      cidrs: ['10.0.0.0/8', '::1'],
      basic: { user: 'a', password: 'b' },
      token: { in: 'query', name: 't', value: 'v' },
      onRefuse: 'record',
    };
    expect(readGuard(given, null)).toEqual({ guard: { ...given, methods: ['POST', 'PUT'] } as Guard });
  });

  test('[set] keeps the stored value, also with another user or place', () => {
    const given = {
      basic: { user: 'new', password: '[set]' },
      token: { in: 'query', name: 't', value: '[set]' },
      onRefuse: 'record',
    };
    expect(readGuard(given, stored)).toEqual({
      guard: {
        basic: { user: 'new', password: 'old' },
        token: { in: 'query', name: 't', value: 'tok' },
        onRefuse: 'record',
      },
    });
    expect(problems(given)).toEqual([
      'basic.password: [set] keeps a stored value, but none is stored: give the value itself',
      'token.value: [set] keeps a stored value, but none is stored: give the value itself',
    ]);
  });

  test.each([
    [7, ': must be an object'],
    [{ onRefuse: 'record' }, ': must have at least one of methods, cidrs, basic and token; without a guard it is null'],
    [{ methods }, 'onRefuse: required'],
    [{ methods, onRefuse: 'keep' }, 'onRefuse: must be record or drop'],
    [{ methods: [], onRefuse: 'drop' }, 'methods: must not be empty, which would refuse every delivery; leave it out'],
    [{ methods: ['PSOT'], onRefuse: 'drop' }, 'methods.0: must be an HTTP method such as POST; did you mean POST?'],
    [{ methods: 'POST', onRefuse: 'drop' }, 'methods: must be a list'],
    [{ method: ['POST'], cidrs: ['::1'], onRefuse: 'drop' }, 'method: no such field; did you mean methods?'],
    [
      { cidrs: ['::1', '10.0.0/8'], onRefuse: 'drop' },
      'cidrs.1: must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32',
    ],
    [{ basic: { user: 'a:b', password: 'x' }, onRefuse: 'drop' }, 'basic.user: must not contain a colon'],
    [{ basic: { user: 'a' }, onRefuse: 'drop' }, 'basic.password: required'],
    [{ basic: { user: 'a', password: 'x', realm: 'y' }, onRefuse: 'drop' }, 'basic.realm: no such field'],
    [{ token: { in: 'body', name: 'x', value: 'y' }, onRefuse: 'drop' }, 'token.in: must be header or query'],
    [
      { token: { in: 'header', name: 'a b', value: 'y' }, onRefuse: 'drop' },
      'token.name: must be the name of a header that a sender may choose, such as X-Hook-Token',
    ],
    [
      { token: { in: 'header', name: 'x', value: ' y' }, onRefuse: 'drop' },
      'token.value: must be visible ASCII characters, with spaces only between them',
    ],
    [
      { token: { in: 'header', name: 'x', value: 'y\r\nz' }, onRefuse: 'drop' },
      'token.value: must be text without control characters',
    ],
    [
      {
        token: { in: 'header', name: 'authorization', value: 'y' },
        basic: { user: 'a', password: 'b' },
        onRefuse: 'drop',
      },
      'token.name: must not be Authorization beside basic, which uses it',
    ],
  ])('%j: %s', (given, expected) => {
    expect(problems(given)).toEqual([expected]);
  });
});
