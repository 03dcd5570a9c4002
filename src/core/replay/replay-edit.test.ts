import { describe, expect, test } from 'bun:test';
import { AppError } from '../errors.ts';
import { pathText } from '../field-problems.ts';
import type { HeaderPair } from '../headers.ts';
import { parseExactJson } from '../json/exact.ts';
import type { ReplayEdit } from './edit-schema.ts';
import { applyEdit, isEdit } from './replay-edit.ts';

const text = '{ "id": 12345678901234567890, "items": [{"sku":"A-1", "price": 1.10}] }';
const event = { headers: [['Content-Type', 'application/json']] as HeaderPair[], body: Buffer.from(text) };
const bodyAfter = (edit: ReplayEdit, body = event.body) =>
  Buffer.from(applyEdit({ ...event, body }, edit).body).toString();
const headersAfter = (headers: NonNullable<ReplayEdit['headers']>, before: HeaderPair[]) =>
  applyEdit({ headers: before, body: event.body }, { headers }).headers;

describe('an edit of the body', () => {
  test('leaves every other byte', () => {
    expect(bodyAfter({ set: { 'items.0.sku': 'B' } })).toBe(text.replace('"A-1"', '"B"'));
    expect(bodyAfter({ unset: ['items.0.sku'], set: { id: null } })).toBe('{ "id": null, "items": [{"price": 1.10}] }');
  });

  test('writes numbers of any length as they were given', () => {
    const set = parseExactJson('{"id":98765432109876543210.50,"items.0":[1e3,{"a":-0.0}]}') as Record<string, unknown>;
    expect(bodyAfter({ set })).toBe('{ "id": 98765432109876543210.50, "items": [[1e3,{"a":-0.0}]] }');
  });

  test('of a body that is not JSON takes only a whole body', () => {
    for (const body of ['a=1', '', '{"a":1}\n{"a":2}', '{"a":1']) {
      expect(() => bodyAfter({ set: { a: 1 } }, Buffer.from(body))).toThrow('not JSON');
      expect(bodyAfter({ body: 'ü' }, Buffer.from(body))).toBe('ü');
    }
    expect(bodyAfter({ body: 'AP8=', bodyEncoding: 'base64' })).toBe(Buffer.from([0, 255]).toString());
  });

  test.each([
    [{ set: { missing: 1 } }, 'nothing at the path "missing"'],
    [{ set: { 'items.1': 1 } }, 'nothing at the path "items.1"'],
    [{ set: { '': 1 } }, 'empty'],
    [{ set: { items: 1, 'items.0': 1 } }, 'inside another path'],
    [{ body: 'x', unset: ['id'] }, 'leave out'],
    [{ body: 'no base64!', bodyEncoding: 'base64' as const }, 'not base64'],
    [{ bodyEncoding: 'utf8' as const }, 'goes with edit.body'],
  ])('%j is refused', (edit, message) => expect(() => bodyAfter(edit)).toThrow(message));

  test('refuses text that is not base64 at once, however long', () => {
    expect(() => bodyAfter({ body: `${'='.repeat(200_000)}x`, bodyEncoding: 'base64' })).toThrow('not base64');
  });

  test('refuses a path of so many steps that finding it would hold up everything', () => {
    const deep = (depth: number) => {
      const path = Array(depth).fill('0').join('.');
      return bodyAfter({ set: { [path]: 2 } }, Buffer.from(`${'['.repeat(depth)}1${']'.repeat(depth)}`));
    };
    expect(deep(500)).toContain('[2]');
    expect(() => deep(50_000)).toThrow('too large');
  });

  test('changes Content-Length and plain hashes of the body, and nothing that is another hash', () => {
    const hash = (algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512', of: string) =>
      new Bun.CryptoHasher(algorithm).update(of);
    const headers = (of: string): HeaderPair[] => [
      ['content-length', String(of.length)],
      [
        'Content-Digest',
        `sha-512=:${hash('sha512', of).digest('base64')}:, sha-256=:${hash('sha256', of).digest('base64')}:`,
      ],
      ['Digest', `SHA-256=${hash('sha256', of).digest('base64')}`],
      ['Content-MD5', hash('md5', of).digest('base64')],
      ['X-Amz-Content-SHA256', hash('sha256', of).digest('hex')],
      ['X-Body-Sha1', hash('sha1', of).digest('hex').toUpperCase()],
    ];
    const other: HeaderPair[] = [
      ['X-Content-Sha256', 'f'.repeat(64)],
      ['X-Signature', hash('sha256', text).digest('hex')],
    ];
    const after = applyEdit({ headers: [...headers(text), ...other], body: event.body }, { body: 'new' });
    expect(after.headers).toEqual([...headers('new'), ...other]);
  });
});

describe('an edit of headers', () => {
  const before: HeaderPair[] = [
    ['X-A', '1'],
    ['B', '2'],
    ['x-a', '3'],
  ];

  test('replaces all of a name where the first was, adds, and removes', () => {
    expect(headersAfter([['x-A', 'new']], before)).toEqual([
      ['x-A', 'new'],
      ['B', '2'],
    ]);
    expect(headersAfter([['C', 'é']], before)).toEqual([...before, ['C', 'é']]);
    expect(
      headersAfter(
        [
          ['X-a', null],
          ['none', null],
        ],
        before,
      ),
    ).toEqual([['B', '2']]);
    expect(
      headersAfter(
        [
          ['C', '1'],
          ['c', '2'],
        ],
        before,
      ),
    ).toEqual([...before, ['C', '1'], ['c', '2']]);
  });

  test.each([
    'Host',
    'Content-Length',
    'connection',
    'Transfer-Encoding',
    'TE',
    'Upgrade',
    'Keep-Alive',
    'Trailer',
    'Proxy-Connection',
    'Expect',
    'x-service-replay',
    'X-Hooktape-Edited',
  ])('%s cannot be set or removed', name => {
    expect(() => headersAfter([[name, 'x']], before)).toThrow('cannot be edited');
    expect(() => headersAfter([[name, null]], before)).toThrow('cannot be edited');
  });

  test.each([
    ['X', 'a\r\nEvil: 1'],
    ['X', 'a\nb'],
    ['X', '\0'],
    ['X', '€'],
    ['X: y', 'a'],
    ['', 'a'],
    ['X\r\n', 'a'],
    ['ü', 'a'],
  ])('%j: %j is refused', (name, value) => {
    expect(() => headersAfter([[name, value]], before)).toThrow();
  });
});

test.each<[ReplayEdit, boolean]>([
  [{}, false],
  [{ set: {}, unset: [], headers: [] }, false],
  [{ set: { id: 12 } }, true],
  [{ body: '' }, true],
  [{ headers: [['none', null]] }, true],
])('whether %j is an edit: %p', (edit, expected) => expect(isEdit(edit)).toBe(expected));

test.each<[ReplayEdit, string]>([
  [{ bodyEncoding: 'utf8' }, 'edit.bodyEncoding'],
  [{ body: 'a', unset: ['id'] }, 'edit.body'],
  [{ body: 'x', bodyEncoding: 'base64' }, 'edit.body'],
  [{ set: { 'items.7.sku': 1 } }, 'edit.set.items.7.sku'],
  [{ unset: ['id', 'missing'] }, 'edit.unset[1]'],
  [
    {
      headers: [
        ['X-A', 'b'],
        ['Host', 'c'],
      ],
    },
    'edit.headers[1]',
  ],
])('the problem with %j has the path %s', (edit, path) => {
  let problems: string[] = [];
  try {
    applyEdit(event, edit);
  } catch (error) {
    if (error instanceof AppError) problems = error.problems.map(problem => pathText(problem.path));
  }
  expect(problems).toEqual([path]);
});
