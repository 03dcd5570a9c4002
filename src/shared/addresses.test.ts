import { describe, expect, test } from 'bun:test';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { type Cidr, clientAddress, formatAddress, isInCidr, networkOf, parseAddress, parseCidr } from './addresses.ts';

const cidr = (text: string): Cidr => {
  const range = parseCidr(text);
  if (!range) throw new Error(`not a range: ${text}`);
  return range;
};
const canonical = (text: string): string | undefined => {
  const address = parseAddress(text);
  return address && formatAddress(address);
};

const anyIpv4 = fc.ipV4();
const anyIpv6 = fc.ipV6();

describe('parseAddress', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
    ['fe80::', 'fe80::'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::ffff:a00:1', '10.0.0.1'],
    ['0:0:0:0:0:ffff:7f00:1', '127.0.0.1'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ])('%s is %s', (text, expected) => expect(canonical(text)).toBe(expected));

  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '1.2.3.256',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.',
    '-1.2.3.4',
    '１.2.3.4',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    ':1::',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3.04',
    'fe80::1%eth0',
    '[::1]',
    '::1/128',
    'localhost',
    '9'.repeat(1000),
  ])('%p is no address', text => expect(parseAddress(text)).toBeUndefined());

  test('any text: is an address exactly when node says so', () => {
    const nearlyAddress = fc.stringMatching(/^[0-9a-f:.]{0,20}$/);
    fc.assert(
      fc.property(fc.oneof(anyIpv4, anyIpv6, nearlyAddress, fc.string()), text => {
        expect(parseAddress(text) !== undefined).toBe(isIPv4(text) || (isIPv6(text) && !text.includes('%')));
      }),
      { numRuns: 3000 },
    );
  });

  test('any address: same bytes as ipaddr.js, and formatting parses back', () => {
    fc.assert(
      fc.property(fc.oneof(anyIpv4, anyIpv6), text => {
        const address = parseAddress(text);
        const bytes = ipaddr.process(text).toByteArray();
        expect(address?.value).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
        expect(address && parseAddress(formatAddress(address))).toEqual(address);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('parseCidr', () => {
  test.each(['10.0.0.0/8', '0.0.0.0/0', '10.1.2.3', '::/0', 'fd00::/8', '::1', '::ffff:10.0.0.0/104'])('%s', text =>
    expect(parseCidr(text)?.text).toBe(text),
  );

  test.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10/8',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/0x8',
    '::ffff:0:0/95',
    'host/8',
    '',
  ])('%p is no range', text => expect(parseCidr(text)).toBeUndefined());

  test('a mapped range is the IPv4 range', () => {
    const address = parseAddress('10.9.9.9');
    expect(address && isInCidr(address, cidr('::ffff:10.0.0.0/104'))).toBe(true);
  });

  test('any address, any range: contains the same as node:net BlockList', () => {
    const ipv4 = fc.tuple(anyIpv4, anyIpv4, fc.integer({ min: 0, max: 32 }), fc.constant('ipv4' as const));
    const ipv6 = fc.tuple(anyIpv6, anyIpv6, fc.integer({ min: 0, max: 128 }), fc.constant('ipv6' as const));
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), ([ip, base, prefix, family]) => {
        const address = parseAddress(ip);
        // An IPv4-mapped one is IPv4 here and IPv6 there.
        if (!address || address.family !== Number(family.slice(-1)) || parseAddress(base)?.family !== address.family)
          return;
        const list = new BlockList();
        list.addSubnet(base, prefix, family);
        expect(isInCidr(address, cidr(`${base}/${prefix}`))).toBe(list.check(ip, family));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('clientAddress', () => {
  const trusted = ['10.0.0.0/8', '::1', 'fe80::/10'].map(cidr);
  test.each<[string, string, string | undefined, string]>([
    ['an untrusted peer is the client, whatever it claims', '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['a trusted peer without the header', '10.0.0.1', undefined, '10.0.0.1'],
    ['the hop before a trusted peer', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
    [
      'the rightmost untrusted hop, not what the client put in front',
      '10.0.0.1',
      '6.6.6.6, 198.51.100.7, 10.0.0.2',
      '198.51.100.7',
    ],
    ['all hops trusted: the leftmost', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['garbage ends the walk at the last proxy', '10.0.0.1', '1.2.3.4, <script>, 10.0.0.2', '10.0.0.2'],
    ['an empty hop ends the walk', '10.0.0.1', '1.2.3.4,', '10.0.0.1'],
    ['unknown ends the walk', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['a mapped peer', '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['a hop with port', '10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['an IPv6 hop in brackets with port', '::1', '[2001:DB8::1]:80', '2001:db8::1'],
    ['a quoted hop', '::1', '"[2001:db8::1]"', '2001:db8::1'],
    ['a link-local peer with its interface', 'fe80::1%eth0', '1.2.3.4', '1.2.3.4'],
    ['a peer that is no address (unix socket)', '', '1.2.3.4', ''],
  ])('%s', (_, peer, forwardedFor, expected) => {
    expect(clientAddress({ peer, forwardedFor, trusted })).toBe(expected);
  });

  test('nothing is believed when no proxy is trusted', () => {
    expect(clientAddress({ peer: '127.0.0.1', forwardedFor: '1.2.3.4', trusted: [] })).toBe('127.0.0.1');
  });

  test('any header: the answer is an address, and never one left of an untrusted hop', () => {
    fc.assert(
      fc.property(fc.string(), front => {
        const all = clientAddress({ peer: '10.0.0.1', forwardedFor: front, trusted });
        expect(parseAddress(all)).toBeDefined();
        expect(clientAddress({ peer: '10.0.0.1', forwardedFor: `${front},5.5.5.5`, trusted })).toBe('5.5.5.5');
      }),
    );
  });
});

describe('networkOf', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['', ''],
    ['no address', 'no address'],
  ])('%p counts as %p', (text, network) => expect(networkOf(text)).toBe(network));
});
