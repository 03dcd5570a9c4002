import { describe, expect, test } from 'bun:test';
import { trustedIssuers } from './issuers.ts';
import {
  allowEntries,
  bearerToken,
  cidrs,
  count,
  databaseUrl,
  duration,
  email,
  type Kind,
  listenHost,
  oneOf,
  onOff,
  origin,
  password,
  port,
  size,
} from './kinds.ts';

const parsed = <T>(kind: Kind<T>, text: string): T | undefined => {
  const result = kind(text);
  return 'value' in result ? result.value : undefined;
};

function table<T>(name: string, kind: Kind<T>, good: readonly (readonly [string, T])[], bad: readonly string[]): void {
  describe(name, () => {
    test.each(good.map(([text, value]) => [text, value] as const))('%p', (text, value) =>
      expect(parsed(kind, text)).toEqual(value),
    );
    test.each([...bad])('not %p', text => expect(kind(text)).toHaveProperty('mustBe'));
  });
}

table(
  'port',
  port,
  [
    ['0', 0],
    ['4665', 4665],
    ['65535', 65535],
  ],
  ['65536', '-1', '1.5', '0x10', '1e3', ' 1', 'http', 'tcp://10.0.0.1:4665'],
);
table(
  'count',
  count({ min: 1, max: 10 }),
  [
    ['1', 1],
    ['10', 10],
  ],
  ['0', '11', '', 'one', '99999999999999999999'],
);
table(
  'duration',
  duration({ min: '1s', max: '7d' }),
  [
    ['30s', 30_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
  ],
  ['0', '0s', '8d', '30', '30 s', '1.5h', '-1s', '1w', '30S', ''],
);
table(
  'duration from 0',
  duration({ min: '0', max: '1d' }),
  [
    ['0', 0],
    ['0d', 0],
  ],
  ['-0'],
);
table(
  'size',
  size({ min: '1B', max: '1GiB' }),
  [
    ['1024', 1024],
    ['512KiB', 524_288],
    ['32MiB', 33_554_432],
    ['1GiB', 1_073_741_824],
  ],
  ['0', '2GiB', '32MB', '32 MiB', '1.5MiB', ''],
);
table(
  'on/off',
  onOff,
  [
    ['on', true],
    ['OFF', false],
    ['true', true],
    ['false', false],
  ],
  ['yes', '1', ''],
);
table(
  'enum',
  oneOf('debug', 'info'),
  [
    ['debug', 'debug'],
    ['INFO', 'info'],
  ],
  ['warn', ''],
);
table(
  'host',
  listenHost,
  [
    ['127.0.0.1', '127.0.0.1'],
    ['::', '::'],
    ['[::]', '::'],
    ['localhost', 'localhost'],
  ],
  ['http://x', 'a b', '127.1', 'x:80', '/run/sock'],
);
table(
  'origin',
  origin,
  [
    ['http://localhost:4665', 'http://localhost:4665'],
    ['https://hooks.example.com/', 'https://hooks.example.com'],
    ['HTTPS://Hooks.Example.COM:443', 'https://hooks.example.com'],
    ['http://[::1]:4665', 'http://[::1]:4665'],
  ],
  [
    'hooks.example.com',
    'ftp://x',
    'https://x/path',
    'https://x//',
    'https://x/.',
    'https://x?q',
    'https://x/?',
    'https://x#f',
    'https://u@x',
    'https://@x',
    'https://u:p@x',
    'https://',
    'https:x',
    'https:\\\\x',
    'https://a b',
    'javascript:0',
  ],
);
table(
  'database URL',
  databaseUrl,
  [
    ['file:./data/x.db', 'file:./data/x.db'],
    ['file:/data/50%25/x.db', 'file:/data/50%25/x.db'],
    ['file:///data/x.db', 'file:///data/x.db'],
    ['libsql://db.example.com', 'libsql://db.example.com'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['wss://db.example.com?tls=1', 'wss://db.example.com?tls=1'],
  ],
  [
    'data.db',
    'postgres://x',
    'file:',
    'file:x?mode=ro',
    'file:x%',
    'file://host/x',
    'FILE:x',
    'http://',
    'https://user:secret@x',
    'libsql://x?authToken=secret',
    ':memory:',
    'file::memory:',
    'file:%3Amemory%3A',
  ],
);
table(
  'email',
  email,
  [
    ['a@example.com', 'a@example.com'],
    ['root@localhost', 'root@localhost'],
    ['Ada@Example.com', 'ada@example.com'],
  ],
  ['a', '@b', 'a@', 'a b@c', 'a@b@c', `${'a'.repeat(250)}@b.de`, '<a@example.com>', 'a@b.de,c@d.de', 'a\u0001@b.de'],
);
table(
  'password',
  password,
  [['a good long password', 'a good long password']],
  ['12345678901', '123456789012', 'Password1234', 'xyxyxyxyxyxy', 'é'.repeat(11), 'a 1'.repeat(400)],
);
table('bearer token', bearerToken, [['abc.DEF-1_2~+/=', 'abc.DEF-1_2~+/=']], ['a b', 'ä', 'a\n']);

describe('lists', () => {
  test('spaces and empty items are forgiven', () => {
    expect(parsed(cidrs, ' 10.0.0.0/8 ,, ::1,')?.map(({ text }) => text)).toEqual(['10.0.0.0/8', '::1']);
    expect(parsed(cidrs, '')).toEqual([]);
    expect(parsed(allowEntries, 'localhost:3000,[fd00::1]:80')).toHaveLength(2);
  });

  test('every item that is not understood is named', () => {
    expect(cidrs('10.0.0.0/8,x,10.0.0.0/99')).toEqual({
      mustBe: expect.stringContaining('invalid: "x", "10.0.0.0/99"'),
    });
  });
});

describe('issuers', () => {
  test('defaults and all fields', () => {
    expect(parsed(trustedIssuers, '[]')).toEqual([]);
    expect(
      parsed(
        trustedIssuers,
        '[{"issuer":"https://a","audience":"x"},{"issuer":"https://b/","audience":"y","jwks_uri":"https://b/k?v=1","email_claim":"mail","create_accounts":true}]',
      ),
    ).toEqual([
      { issuer: 'https://a', audience: 'x', emailClaim: 'email', createAccounts: false },
      { issuer: 'https://b/', audience: 'y', jwksUri: 'https://b/k?v=1', emailClaim: 'mail', createAccounts: true },
    ]);
  });

  test.each<[string, string]>([
    ['not json', 'JSON array'],
    ['{}', 'JSON array'],
    ['[1]', 'entry 1 is not an object'],
    ['[{"issuer":"https://a","audience":"x"},{"issuer":"a","audience":"x"}]', 'entry 2 needs an "issuer"'],
    ['[{"issuer":"https://a?x","audience":"x"}]', 'needs an "issuer"'],
    ['[{"issuer":"https://u:p@a","audience":"x"}]', 'needs an "issuer"'],
    ['[{"issuer":"https://a"}]', 'needs an "audience"'],
    ['[{"issuer":"https://a","audience":["x"]}]', 'needs an "audience"'],
    ['[{"issuer":"https://a","audience":"x","jwks_uri":"file:///k"}]', '"jwks_uri"'],
    ['[{"issuer":"https://a","audience":"x","email_claim":1}]', '"email_claim"'],
    ['[{"issuer":"https://a","audience":"x","create_accounts":"yes"}]', '"create_accounts"'],
    ['[{"issuer":"https://a","audience":"x","createAccounts":true}]', 'unknown fields: "createAccounts"'],
    ['[{"issuer":"https://a","audience":"x"},{"issuer":"https://a","audience":"y"}]', 'listed twice'],
  ])('%s', (text, problem) => expect(trustedIssuers(text)).toEqual({ mustBe: expect.stringContaining(problem) }));
});
