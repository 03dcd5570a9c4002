/* The token of a guard is kept out of storage, however a sender wrote it. */
import { describe, expect, test } from 'bun:test';
import { latin1 } from '../encoding/buffer.ts';
import { endpointGuard } from './check.ts';
import type { Guard } from './model.ts';

describe('what is stored of a delivery', () => {
  const stored = (token: NonNullable<Guard['token']>, query: string | null, ...lines: string[]) => {
    const result = endpointGuard({ token, onRefuse: 'record' }).check({
      method: 'POST',
      sourceIp: '192.0.2.7',
      query,
      fields: Buffer.from(lines.map(line => `${line}\r\n`).join(''), 'latin1'),
    })?.stored;
    return result && [result.query, latin1(result.fields).trim().split('\r\n')];
  };
  const inQuery = { in: 'query', name: 'token', value: 'a b/c0ffee' } as const;

  test('a query token is replaced, however it is written, and everything else stays byte by byte', () => {
    expect(stored(inQuery, 'x=%7E&token=a+b%2Fc0ffee&y=[]', 'Host: x')).toEqual([
      'x=%7E&token=[redacted]&y=[]',
      ['Host: x'],
    ]);
    expect(stored(inQuery, 'token=a%20b/c0ffee', 'Host: x')?.[0]).toBe('token=[redacted]');
    expect(stored(inQuery, 'a=1&b', 'Host: x')).toBeUndefined();
  });

  test('a token that was refused, repeated, or has text beside it is a token all the same', () => {
    for (const query of ['token=a%20b/c0ffee%0A', 'token=a%20b/c0ffee&token=2', 'other=x.a+b/c0ffee.y', 'a%20b/c0ffee'])
      expect(stored(inQuery, query)?.[0]).not.toContain('c0ffee');
    expect(stored(inQuery, 'token=wrong')).toBeUndefined();
  });

  test('it is replaced in headers that repeat the URL', () => {
    const lines = [
      'X-Original-URI: /in/t?token=a+b%2Fc0ffee&z=1',
      'Referer: https://x/?token=a%20b%2Fc0ffee',
      'X-Plain: a b/c0ffee',
    ];
    expect(stored(inQuery, 'token=a+b%2Fc0ffee', ...lines)?.[1]).toEqual([
      'X-Original-URI: /in/t?token=[redacted]&z=1',
      'Referer: https://x/?token=[redacted]',
      'X-Plain: [redacted]',
    ]);
  });

  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const percent = (text: string) => Array.from(text, letter => `%${letter.charCodeAt(0).toString(16)}`).join('');
  const hard = 's3cr"t+/\\ok&n 42%41';

  test.each<[string, string]>([
    ['a space as a plus sign', hard.replaceAll(' ', '+')],
    ['percent-encoded', encodeURIComponent(hard)],
    ['all of it percent-encoded', percent(hard)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(hard))],
    ['percent-encoded three times', encodeURIComponent(encodeURIComponent(encodeURIComponent(hard)))],
    ['as JSON', JSON.stringify(hard)],
    [
      'as JSON with other escapes',
      `{"t":"${JSON.stringify(hard).slice(1, -1).replaceAll('/', '\\/').replace('s', '\\u0073')}"}`,
    ],
    ['as JSON in JSON', JSON.stringify(JSON.stringify({ hard }))],
    ['Basic, alone', `Basic ${base64(hard)}`],
    ['Basic with a user', `Basic ${base64(`user:${hard}`)}`],
    ['Basic as user', `Basic ${base64(`${hard}:password`)}`],
    ['base64 for URLs', Buffer.from(`a${hard}`).toString('base64url')],
    ['base64 after other letters', `key/${base64(`ab${hard}`)}`],
    ['base64 of JSON', base64(JSON.stringify({ hard }))],
    ['base64, percent-encoded', encodeURIComponent(base64(`x:${hard}`))],
    ['percent-encoded, in base64', base64(encodeURIComponent(hard))],
    ['base64 twice', base64(base64(hard))],
    ['percent-encoded, in base64, in JSON', JSON.stringify(base64(encodeURIComponent(hard))).replaceAll('/', '\\/')],
  ])('a token is replaced %s, in another header and in the query', (_, sent) => {
    const token = { in: 'header', name: 'X-Token', value: hard } as const;
    const [query, lines] = stored(token, `a=1&q=${sent}`, `X-Other: ${sent}`, 'X-Kept: kept') ?? [];
    expect([query?.includes('[redacted]'), lines?.length, lines?.[1]]).toEqual([true, 2, 'X-Kept: kept']);
    for (const text of [query, lines?.[0]]) {
      expect(text).toContain('[redacted]');
      expect(stored(token, text as string, `X-Other: ${text}`)).toBeUndefined();
    }
    // As a query, the value is encoded once more.
    const encoded = stored(token, `a=1&q=${encodeURIComponent(sent)}&b=2`)?.[0];
    if (sent.split('%2525').length < 2) expect(encoded).toBe('a=1&q=[redacted]&b=2');
  });

  test('only the words that hold the token are replaced', () => {
    const token = { in: 'query', name: 'token', value: 'a b/c0ffee' } as const;
    const lines = [
      `X-Url: https://x/?token=${encodeURIComponent(encodeURIComponent(token.value))}&z=1`,
      `X-Auth: Basic ${base64(`user:${token.value}`)}, realm="x"`,
      'X-Json: {"t":"a b\\/c0ffee"}',
    ];
    expect(stored(token, 'a=1', ...lines)?.[1]).toEqual([
      'X-Url: https://x/?token=[redacted]&z=1',
      'X-Auth: Basic [redacted], realm="x"',
      'X-Json: [redacted]',
    ]);
  });

  test('a token that the query splits into parameters is replaced with all of them', () => {
    expect(stored({ ...inQuery, value: 'left&right=wrong' }, 'x=1&token=left&right=wrong')?.[0]).toBe('[redacted]');
  });

  test.each([
    ['long base64', 'V'.repeat(60_000)],
    ['many escapes', '%2525'.repeat(12_000)],
    ['escapes and base64', `${'%41'.repeat(4)}QUJDREVGR0hJSktMTU5P `.repeat(1800)],
  ])('%s without the token is stored as it is', (_, text) => {
    expect(stored({ ...inQuery, value: 'c0ffee-babe' }, 'a=1', `X: ${text}`)).toBeUndefined();
  });

  test('a header token is replaced in its header; a short one nowhere else', () => {
    const token = { in: 'header', name: 'X-Token', value: 'abc' } as const;
    expect(stored(token, 'x-token=abc', 'x-token: abc', 'X-Other: abc')).toEqual([
      'x-token=abc',
      ['x-token: [redacted]', 'X-Other: abc'],
    ]);
    expect(stored({ ...token, value: 'abcdefgh' }, 'q=abcdefgh', 'X-Other: 1abcdefgh2')).toEqual([
      'q=[redacted]',
      ['X-Other: 1[redacted]2'],
    ]);
  });
});
