/*
 * Which addresses belong to the public internet, for requests to a destination that a user chose. Deny lists of the IANA
 * special-purpose registries; IPv6 outside 2000::/3 is not global unicast, and forms that embed an IPv4 address are never
 * public, because what they reach depends on the network they leave by.
 */

import { type Address, type Cidr, hostOfUrl, isInAnyCidr, parseAddress, parseCidr } from '../../shared/addresses.ts';

const ranges = (...texts: string[]): Cidr[] => texts.flatMap(text => parseCidr(text) ?? []);

const loopback = ranges('127.0.0.0/8', '::1/128');

const globalUnicast = ranges('2000::/3');

const notPublic = ranges(
  '0.0.0.0/8', // this network; 0.0.0.0 reaches this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // IETF protocol assignments, Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
);

/** The addresses at which clouds provide credentials and configuration. */
const metadataAddresses = new Set(
  [
    '169.254.169.254', // most clouds
    '169.254.170.2', // Amazon ECS
    '169.254.170.23', // Amazon EKS
    '100.100.100.200', // Alibaba
    '168.63.129.16', // Azure, inside a public range
    '192.0.0.192', // Oracle
    'fd00:ec2::254', // Amazon
    'fd00:ec2::23', // Amazon EKS
    'fd20:ce::254', // Google
  ].map(text => parseAddress(text)?.value),
);

const [nat64, localNat64, sixToFour, teredo, compatible] = [
  ranges('64:ff9b::/96'),
  ranges('64:ff9b:1::/48'),
  ranges('2002::/16'),
  ranges('2001::/32'),
  ranges('::/96'),
];

const low32 = (value: bigint): bigint => value & 0xffffffffn;

/** IPv4 addresses that an IPv6 address may embed (RFC 4291, 3056, 4380, 6052). Mapped addresses were parsed as IPv4. */
function embeddedIpv4({ family, value }: Address): bigint[] {
  const address = { family, value };
  if (family === 4) return [];
  if (isInAnyCidr(address, nat64) || isInAnyCidr(address, compatible)) return [low32(value)];
  if (isInAnyCidr(address, sixToFour)) return [low32(value >> 80n)];
  if (isInAnyCidr(address, teredo)) return [low32(value >> 64n), low32(~value)];
  if (!isInAnyCidr(address, localNat64)) return [];
  // The network chooses the prefix length. Bits 64 to 71 are skipped if the address spans them.
  const around = (before: bigint): bigint => {
    const high = (value >> 64n) & ((1n << before) - 1n);
    return low32((high << (32n - before)) | ((value >> (24n + before)) & ((1n << (32n - before)) - 1n)));
  };
  return [around(16n), around(8n), low32(value >> 24n), low32(value)];
}

export const isLoopback = (address: Address): boolean => isInAnyCidr(address, loopback);

export function isLoopbackOrigin(origin: string): boolean {
  const host = hostOfUrl(URL.parse(origin) ?? { hostname: '' }).replace(/\.$/, '');
  const address = parseAddress(host);
  // RFC 6761 section 6.3: `localhost` and everything under it.
  return address ? isLoopback(address) : host === 'localhost' || host.endsWith('.localhost');
}

export const isMetadata = (address: Address): boolean =>
  [address.value, ...embeddedIpv4(address)].some(value => metadataAddresses.has(value));

/** Whether requests may go there: global unicast, and not reserved for anything else. */
export const isPublicAddress = (address: Address): boolean =>
  (address.family === 4 || isInAnyCidr(address, globalUnicast)) &&
  !isInAnyCidr(address, notPublic) &&
  !isMetadata(address);
