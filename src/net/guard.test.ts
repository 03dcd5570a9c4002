import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import net from 'node:net';
import { type AllowEntry, parseAllowEntry } from '../core/network/allow-list.ts';
import { createAddressGuard, type GuardVerdict, type Resolve } from './guard.ts';
import { createOutbound } from './outbound.ts';

const entries = (...texts: string[]): AllowEntry[] => texts.flatMap(text => parseAllowEntry(text) ?? []);

/** Names of a network that is only in this file. */
const names: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'public.test': ['93.184.216.34'],
  'both.test': ['93.184.216.34', '127.0.0.1'],
  'inside.test': ['10.0.0.5'],
  'loop.test': ['127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'linklocal.test': ['fe80::1%eth0'],
  'meta.test': ['169.254.169.254'],
  'many.test': Array.from({ length: 20 }, (_, i) => `93.184.216.${i}`),
  'odd.test': ['not an address'],
  'none.test': [],
};
const resolve: Resolve = async host => {
  const found = names[host];
  if (!found) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  return found.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
};

const guard = (url: string, allow: AllowEntry[] = [], allowLoopback = false): Promise<GuardVerdict> =>
  createAddressGuard({ allow, allowLoopback, resolve })(url);
const kind = async (...given: Parameters<typeof guard>): Promise<string> => (await guard(...given)).kind;

const notPublicRefusal = { kind: 'refused', reason: 'the destination is not a public address' };

describe('destinations that are not public', () => {
  let port = 0;
  let connects = 0;
  const listener = net.createServer(socket => {
    connects++;
    socket.destroy();
  });
  beforeAll(async () => {
    await new Promise<void>(done => listener.listen(0, '::', done));
    const address = listener.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterAll(() => {
    listener.close();
  });

  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0x7F.0x0.0x0.0x1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0',
    '0.0.0.0',
    '0x0',
    '10.0.0.1',
    '10.1',
    '167772161',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.168.257',
    '100.64.0.1',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[2001:db8::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
    '[5f00::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'loop.test',
    'LOOP.test.',
    'mapped.test',
    'linklocal.test',
    'inside.test',
    'meta.test',
    'both.test',
    'odd.test',
  ])('%s is refused with the same message, and no connection is opened', async host => {
    const outbound = createOutbound({ allow: [], allowLoopback: false, resolve, clock: { monotonic: () => 0 } });
    for (const scheme of ['http', 'https']) {
      const request = {
        url: `${scheme}://${host}:${port}/`,
        method: 'GET',
        headers: [],
        body: new Uint8Array(),
        timeoutMs: 2000,
      };
      expect<unknown>(await outbound.send(request)).toEqual(notPublicRefusal);
    }
    expect(connects).toBe(0);
  });

  test('the listener that got no connection from them gets one from an allowed URL', async () => {
    const outbound = createOutbound({
      allow: entries(`127.0.0.1:${port}`),
      allowLoopback: false,
      resolve,
      clock: { monotonic: () => 0 },
    });
    const request = {
      url: `http://127.0.0.1:${port}/`,
      method: 'GET',
      headers: [],
      body: new Uint8Array(),
      timeoutMs: 2000,
    };
    expect((await outbound.send(request)).kind).toBe('unreachable');
    expect(connects).toBe(1);
  });
});

describe('invalid URLs', () => {
  test.each([
    '',
    'localhost',
    '/path',
    '//public.test',
    'http://',
    'http:///',
    'ftp://public.test',
    'file:///etc/passwd',
    'data:,x',
    'gopher://public.test',
    'javascript:0',
    'unix:/run/x.sock',
    'http://[::1',
    'http://[fe80::1%25eth0]/',
    'http://public.test:99999',
    'http://1.2.3.256',
    'http://a b/',
    `http://public.test/${'x'.repeat(9000)}`,
  ])('%p is refused', async url =>
    expect(await guard(url)).toEqual({ kind: 'refused', reason: 'the destination must be an http or https URL' }),
  );

  test.each(['http://user@public.test', 'http://:pw@public.test', 'http://public.test@127.0.0.1'])(
    '%s is refused because of its user information',
    async url =>
      expect(await guard(url)).toEqual({
        kind: 'refused',
        reason: 'the destination must not contain a user name or password',
      }),
  );
});

describe('ports', () => {
  test.each([0, 22, 25, 465, 587, 3306, 5432, 6379, 6667, 11211, 27017])(
    ':%d is refused on a public address',
    async port => expect(await kind(`http://public.test:${port}`)).toBe('refused'),
  );

  test('other ports are allowed', async () => {
    for (const port of [80, 443, 3000, 8080, 8443, 65535])
      expect(await kind(`http://public.test:${port}`)).toBe('allowed');
  });

  test('a blocked port is opened only by an allow-list entry with the port', async () => {
    expect(await kind('http://public.test:25', entries('public.test'))).toBe('refused');
    expect(await kind('http://public.test:25', entries('public.test:25'))).toBe('allowed');
    expect(await kind('http://127.0.0.1:6379', [], true)).toBe('refused');
    expect(await kind('http://127.0.0.1:6379', entries('127.0.0.1:6379'))).toBe('allowed');
  });
});

describe('a public destination', () => {
  test('is pinned to the addresses of its name', async () => {
    expect(await guard('https://Public.Test./x?y')).toMatchObject({
      kind: 'allowed',
      host: 'public.test',
      port: 443,
      addresses: [{ address: '93.184.216.34', family: 4 }],
    });
  });

  test('given as an address is not resolved', async () => {
    expect(await guard('http://[2606:4700::1111]')).toMatchObject({
      host: '2606:4700::1111',
      port: 80,
      addresses: [{ address: '2606:4700::1111', family: 6 }],
    });
  });

  test('has at most four pinned addresses', async () => {
    const verdict = await guard('http://many.test');
    expect(verdict.kind === 'allowed' && verdict.addresses).toHaveLength(4);
  });

  test('without addresses is unreachable, not refused', async () => {
    for (const host of ['none.test', 'unknown.test']) expect(await kind(`http://${host}`)).toBe('unreachable');
  });
});

describe('destinations that the operator allows', () => {
  test.each<[string, string, 'allowed' | 'refused']>([
    ['127.0.0.1:3000', 'http://127.0.0.1:3000', 'allowed'],
    ['127.0.0.1:3000', 'http://127.1:3000', 'allowed'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3001', 'refused'],
    ['127.0.0.1:3000', 'http://127.0.0.2:3000', 'refused'],
    ['127.0.0.1:3000', 'http://localhost:3000', 'refused'], // its other address, ::1, is not open
    ['localhost:3000', 'http://localhost:3000', 'allowed'],
    ['localhost', 'http://127.0.0.1', 'refused'],
    ['inside.test', 'http://inside.test:8080', 'allowed'],
    ['inside.test', 'http://10.0.0.5:8080', 'refused'],
    ['10.0.0.0/8', 'http://inside.test', 'allowed'],
    ['10.0.0.0/8', 'http://[::ffff:10.0.0.5]', 'allowed'],
    ['10.0.0.0/8', 'http://192.168.0.1', 'refused'],
    ['::1', 'http://[::1]:9999', 'allowed'],
    ['64:ff9b::/96', 'http://[64:ff9b::808:808]', 'allowed'],
    ['169.254.0.0/16', 'http://169.254.1.1', 'allowed'],
    ['169.254.0.0/16', 'http://169.254.169.254', 'refused'],
    ['0.0.0.0/0', 'http://meta.test', 'refused'],
    ['meta.test', 'http://meta.test', 'refused'],
    ['64:ff9b::/96', 'http://[64:ff9b::a9fe:a9fe]', 'refused'],
    ['169.254.169.254', 'http://meta.test', 'allowed'],
    ['169.254.169.254:80', 'http://169.254.169.254:8080', 'refused'],
  ])('%s: %s is %s', async (entry, url, expected) => expect(await kind(url, entries(entry))).toBe(expected));

  test('allowLoopback allows loopback and nothing else', async () => {
    for (const url of [
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
      'http://localhost:3000',
      'http://loop.test:3000',
      'http://[::ffff:127.0.0.1]:3000',
    ])
      expect(await kind(url, [], true)).toBe('allowed');
    for (const url of [
      'http://0.0.0.0:3000',
      'http://10.0.0.5',
      'http://[::127.0.0.1]',
      'http://both.test:25',
      'http://inside.test',
    ])
      expect(await kind(url, [], true)).toBe('refused');
  });
});
