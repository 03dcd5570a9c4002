import { describe, expect, test } from 'bun:test';
import { parseAddress } from '../../shared/addresses.ts';
import { type AllowEntry, isAllowed, isAllowedLiterally, isPortNamed, parseAllowEntry } from './allow-list.ts';

const entries = (...texts: string[]): AllowEntry[] =>
  texts.map(text => {
    const entry = parseAllowEntry(text);
    if (!entry) throw new Error(`not an entry: ${text}`);
    return entry;
  });
const to = (host: string, ip: string, port = 80) => {
  const address = parseAddress(ip);
  if (!address) throw new Error(`not an address: ${ip}`);
  return { host, address, port };
};

describe('parseAllowEntry', () => {
  test.each<[string, AllowEntry['kind'], number | undefined]>([
    ['localhost', 'host', undefined],
    ['Build.Internal.:8080', 'host', 8080],
    ['my_service', 'host', undefined],
    ['10.0.0.5', 'address', undefined],
    ['127.0.0.1:3000', 'address', 3000],
    ['fd00::1', 'address', undefined],
    ['[fd00::1]', 'address', undefined],
    ['[fd00::1]:8080', 'address', 8080],
    ['10.0.0.0/8', 'cidr', undefined],
    ['fd00::/8', 'cidr', undefined],
  ])('%s is a %s', (text, kind, port) =>
    expect(parseAllowEntry(text)).toMatchObject({ kind, text, ...(port && { port }) }),
  );

  test.each([
    '',
    'a b',
    'http://x',
    'x/y',
    'host:',
    'host:0',
    'host:65536',
    'host:80:80',
    '[10.0.0.1]:80',
    '[::1',
    '[::1]:',
    '*.example.com',
    '127.1',
    '0x7f.1',
    '1.2.3.400',
    '10.0.0.0/8:80',
  ])('%p is none', text => expect(parseAllowEntry(text)).toBeUndefined());
});

describe('isAllowed', () => {
  test('a host entry opens that name only, in any spelling, on any address', () => {
    const allow = entries('dev.internal');
    expect(isAllowed(allow, to('DEV.internal.', '10.0.0.5'))).toBe(true);
    expect(isAllowed(allow, to('x.dev.internal', '10.0.0.5'))).toBe(false);
  });

  test('a port in the entry opens that port only', () => {
    for (const [allow, host] of [
      [entries('dev:3000'), 'dev'],
      [entries('10.0.0.5:3000'), '10.0.0.5'],
    ] as const) {
      expect(isAllowed(allow, to(host, '10.0.0.5', 3000))).toBe(true);
      expect(isAllowed(allow, to(host, '10.0.0.5', 3001))).toBe(false);
    }
  });

  test('an address or a range opens addresses, whatever name leads there', () => {
    expect(isAllowed(entries('10.0.0.5'), to('dev', '10.0.0.5'))).toBe(true);
    expect(isAllowed(entries('10.0.0.5'), to('dev', '10.0.0.6'))).toBe(false);
    expect(isAllowed(entries('10.0.0.0/24'), to('dev', '10.0.0.6'))).toBe(true);
    expect(isAllowed(entries('10.0.0.0/24'), to('dev', '10.0.1.6'))).toBe(false);
  });
});

test('isAllowedLiterally: only an entry that is this address', () => {
  const metadata = to('meta', '169.254.169.254');
  expect(isAllowedLiterally(entries('169.254.0.0/16', '169.254.169.254/32', 'meta'), metadata)).toBe(false);
  expect(isAllowedLiterally(entries('169.254.169.254'), metadata)).toBe(true);
});

test('isPortNamed: only an entry that spells the port', () => {
  expect(isPortNamed(entries('mail', '10.0.0.0/8'), to('mail', '10.0.0.5', 25))).toBe(false);
  expect(isPortNamed(entries('mail:25'), to('mail', '10.0.0.5', 25))).toBe(true);
});
