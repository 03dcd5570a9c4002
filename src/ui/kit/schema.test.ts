import { describe, expect, test } from 'bun:test';
import { choice, duration, flag, headers, lines, secret, text, url, wholeNumber } from './fields.tsx';
import { differenceOf, draftOf, fieldFor, isShown, problemsOf, requestOf, withoutSecrets } from './schema.ts';

const schema = {
  name: text({ label: 'Name', required: 'Enter a name.' }),
  note: text({ label: 'Note' }),
  'retry.for': duration({ label: 'For', example: '24h' }),
  'retry.count': wholeNumber({ label: 'Count', min: 1, max: 10 }),
  limit: wholeNumber({ label: 'Limit', min: 1, max: 2000, isOptional: true }),
  url: url({ label: 'URL', required: 'Where to?' }),
  mode: choice({
    label: 'Mode',
    options: [
      { id: 'a', label: 'A' },
      { id: 'b', label: 'B' },
    ],
  }),
  sign: flag({ label: 'Sign', hint: '', on: 'fresh', off: 'as-captured' }),
  networks: lines({ label: 'Networks', hint: '', check: line => (line === 'x' ? 'x is wrong.' : undefined) }),
  headers: headers({ hint: '' }),
  password: secret({ label: 'Password', required: 'Enter it.' }),
};
const saved = { name: 'a', retry: { for: '1h', count: 2 }, url: 'https://a.example/', mode: 'b', sign: 'fresh' };
const draft = draftOf(schema, saved);

describe('a draft', () => {
  test('is made of what is saved, and empty where nothing is', () => {
    expect(draft).toEqual({
      ...{ name: 'a', note: '', 'retry.for': '1h', 'retry.count': '2', limit: '', url: 'https://a.example/' },
      ...{ mode: 'b', sign: true, networks: '', headers: [], password: '' },
    });
    expect(draftOf(schema, {})).toMatchObject({ name: '', mode: 'a', sign: false });
  });

  test('becomes a request with objects inside, without spaces around, and a password as it was typed', () => {
    const changed = {
      ...draft,
      name: ' b ',
      limit: '5',
      url: ':3000/x',
      networks: '10.0.0.0/8, ::1\n',
      password: ' p ',
    };
    expect(requestOf({ schema }, changed)).toEqual({
      ...{ name: 'b', note: null, retry: { for: '1h', count: 2 }, limit: 5, url: 'http://localhost:3000/x', mode: 'b' },
      ...{ sign: 'fresh', networks: ['10.0.0.0/8', '::1'], headers: [], password: ' p ' },
    });
  });

  test('loses its secrets where it is kept', () => {
    expect(withoutSecrets(schema, { ...draft, name: 'b', password: 'p' })).toEqual({ ...draft, name: 'b' });
  });

  test('leaves out and does not check what does not apply', () => {
    const rules = { schema, applies: (path: string) => path === 'name' || path === 'retry.for' };
    expect(requestOf(rules, draft)).toEqual({ name: 'a', retry: { for: '1h' } });
    expect(problemsOf(rules, { ...draft, url: '' })).toEqual({});
  });

  test('differs in whole fields of the request; one that is gone is null', () => {
    const before = { name: 'a', retry: { for: '1h', count: 2 }, url: 'x' };
    expect(differenceOf(before, before)).toEqual({});
    expect(differenceOf(before, { name: 'a', retry: { for: '1h', count: 3 } })).toEqual({
      retry: { for: '1h', count: 3 },
      url: null,
    });
  });
});

describe('problems', () => {
  test('stand at the fields, with those of several fields', () => {
    const wrong = {
      ...draft,
      ...{
        name: ' ',
        'retry.for': 'long',
        'retry.count': '11',
        limit: '0',
        url: 'ftp://x',
        networks: 'a x',
        password: '',
      },
    };
    expect(problemsOf({ schema, check: () => ({ mode: 'Not now.' }) }, wrong)).toEqual({
      name: 'Enter a name.',
      'retry.for': 'Enter a duration such as 24h.',
      'retry.count': 'Enter a whole number from 1 to 10.',
      limit: 'Enter a whole number from 1 to 2,000.',
      url: 'Enter an http:// or https:// URL.',
      networks: 'x is wrong.',
      password: 'Enter it.',
      mode: 'Not now.',
    });
  });

  test('a check over several fields that finds nothing leaves no problem', () => {
    const rules = { schema: { name: schema.name }, check: () => ({ name: undefined }) };
    expect(Object.keys(problemsOf(rules, { name: 'a' }))).toEqual([]);
  });

  test.each([
    ['Wrong.', 'x', false, true],
    ['Wrong.', '', false, false],
    ['Wrong.', [], false, false],
    ['Wrong.', '', true, true],
    [undefined, 'x', true, false],
  ] as const)('%p of the draft %j, tried %p: shown %p', (problem, of, isTried, shown) => {
    expect(isShown(problem, of, isTried)).toBe(shown);
  });

  test.each([
    ['name', 'name'],
    ['retry.for', 'retry.for'],
    ['retry', 'retry.for'],
    ['headers[2][0]', 'headers'],
    ['mode.x', 'mode'],
    ['names', undefined],
    ['', undefined],
  ])('at the path %p belong to the field %p', (path, field) => {
    expect(fieldFor(Object.keys(schema), path)).toBe(field as string);
  });
});
