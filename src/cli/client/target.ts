/* Where events may be sent from this machine. They contain real data, so public addresses need --allow-remote. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { AppError } from '../../core/errors.ts';
import { isLoopback, isMetadata } from '../../core/network/address-classes.ts';
import { readDestination } from '../../core/network/destination.ts';
import { isLoopbackHost } from '../../core/network/hosts.ts';
import { hostOfUrl, isInAnyCidr, parseAddress, parseCidr } from '../../shared/addresses.ts';
import { UsageError } from '../io.ts';

export type ResolvedAddress = { address: string; family: number };

/** Private networks (RFC 1918, RFC 4193), IPv6 link-local addresses, and unspecified ones, which mean this host. */
const ownNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fe80::/10', '0.0.0.0', '::'].flatMap(
  text => parseCidr(text) ?? [],
);

/** The addresses of names under .localhost (RFC 6761), which few resolvers return. */
const loopbackAddresses: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const localName = /(^|\.)(local|test)$/;

function isOwn(text: string): boolean {
  const address = parseAddress(text.replace(/%.*$/, ''));
  // The addresses of cloud metadata services, which return credentials, are also private.
  return address !== undefined && !isMetadata(address) && (isLoopback(address) || isInAnyCidr(address, ownNetworks));
}

/** The option with the URL, for messages, and whether --allow-remote is given. */
export type TargetRule = { option: '--to' | '--map'; isRemoteAllowed: boolean };

/** @returns the checked addresses; none for a name that does not resolve @throws UsageError if they are not allowed */
export async function checkTarget(
  url: string,
  { option, isRemoteAllowed }: TargetRule,
  resolve: (host: string) => Promise<ResolvedAddress[]> = host => lookup(host, { all: true }),
): Promise<ResolvedAddress[]> {
  const target = new URL(readUrl(option, url));
  if (target.username || target.password)
    throw new UsageError(`${option}: the URL must not contain a user name or password: use --header`);
  const host = hostOfUrl(target).replace(/\.$/, '');
  const family = isIP(host);
  const isLoopbackName = !family && isLoopbackHost(host);
  const addresses = family
    ? [{ address: host, family }]
    : await resolve(host).catch((): ResolvedAddress[] => (isLoopbackName ? loopbackAddresses : []));
  const isNamedLocal = isLoopbackName || (!family && localName.test(host));
  if (isRemoteAllowed || isNamedLocal) return addresses;
  if (addresses.length > 0 && addresses.every(({ address }) => isOwn(address))) return addresses;
  const found = addresses.length > 0 ? host : `${host} cannot be resolved and`;
  throw new UsageError(
    `${found} is not this machine or in a private network. Events may contain real data: use --allow-remote to send them there`,
  );
}

function readUrl(option: string, url: string): string {
  try {
    return readDestination(url);
  } catch (error) {
    if (error instanceof AppError) throw new UsageError(`${option}: ${error.message}, not ${url}`);
    throw error;
  }
}
