import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { type Address, formatAddress, parseAddress } from '../../shared/addresses.ts';
import { isLoopback, isLoopbackOrigin, isMetadata, isPublicAddress } from './address-classes.ts';

const address = (text: string): Address => {
  const parsed = parseAddress(text);
  if (!parsed) throw new Error(`not an address: ${text}`);
  return parsed;
};

const metadataAddresses = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];

describe('isPublicAddress', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2001:200::1',
    '2a00:1450::1',
    '2003::1',
  ])('%s is public', text => expect(isPublicAddress(address(text))).toBe(true));

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.1.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    ...metadataAddresses,
  ])('%s is not', text => expect(isPublicAddress(address(text))).toBe(false));

  test('any address that ipaddr.js gives a special range is not public', () => {
    const ipv6 = fc.oneof(
      fc.ipV6(),
      fc
        .bigInt({ min: 0n, max: (1n << 125n) - 1n })
        .map(low => formatAddress({ family: 6, value: (1n << 125n) | low })),
    );
    let publicOnes = 0;
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), ipv6), text => {
        const range = ipaddr.process(text).range();
        // Two special ranges of ipaddr.js are reachable by anybody: AS112 name servers, multicast tunnels.
        if (isPublicAddress(address(text))) {
          publicOnes++;
          expect(['unicast', 'as112', 'as112v6', 'amt']).toContain(range);
        }
      }),
      { numRuns: 5000 },
    );
    expect(publicOnes).toBeGreaterThan(500);
  });

  test('any IPv4 address that ipaddr.js calls unicast is public, but for what clouds keep there', () => {
    fc.assert(
      fc.property(fc.ipV4(), text => {
        if (ipaddr.parse(text).range() === 'unicast' && !metadataAddresses.includes(text))
          expect(isPublicAddress(address(text))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('any IPv4 address embedded in IPv6 by a transition mechanism is not public', () => {
    fc.assert(
      fc.property(fc.ipV4(), text => {
        const { value } = address(text);
        const group = (shift: bigint): string => ((value >> shift) & 0xffffn).toString(16);
        for (const form of [
          `::${text}`,
          `64:ff9b::${text}`,
          `64:ff9b:1::${text}`,
          `2002:${group(16n)}:${group(0n)}::1`,
          `2001:0:${group(16n)}:${group(0n)}::1`,
        ]) {
          const embedded = address(form);
          expect(embedded.family === 6 && isPublicAddress(embedded)).toBe(false);
        }
      }),
    );
  });
});

describe('isMetadata', () => {
  test.each([...metadataAddresses, 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'])('%s', text =>
    expect(isMetadata(address(text))).toBe(true),
  );

  test.each([
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::169.254.169.254',
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1:a9:fe:a9fe::',
    '64:ff9b:1:0:a9:fea9:fe00:0',
    '2002:a9fe:a9fe::1',
    '2001:0:a9fe:a9fe::',
    '2001:0:1:1:1:1:5601:5601',
  ])('embedded: %s', text => expect(isMetadata(address(text))).toBe(true));

  test.each(['169.254.169.253', '8.8.8.8', '::1', 'fd00:ec2::1', '64:ff9b:1::1'])('%s is not', text =>
    expect(isMetadata(address(text))).toBe(false),
  );
});

test('isLoopback: 127/8 and ::1, mapped too, and nothing that only looks like it', () => {
  for (const text of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    expect(isLoopback(address(text))).toBe(true);
  for (const text of ['0.0.0.0', '128.0.0.1', '::', '::2', '::127.0.0.1'])
    expect(isLoopback(address(text))).toBe(false);
});

test('isLoopbackOrigin', () => {
  for (const origin of [
    'http://localhost:4665',
    'https://LOCALHOST',
    'http://hooks.localhost',
    'http://127.0.0.1:1',
    'http://127.1',
    'http://[::1]:4665',
  ])
    expect(isLoopbackOrigin(origin)).toBe(true);
  for (const origin of [
    'https://hooks.example.com',
    'http://0.0.0.0',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://notlocalhost',
    'localhost',
    '',
  ])
    expect(isLoopbackOrigin(origin)).toBe(false);
});
