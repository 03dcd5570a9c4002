/* Against server-side request forgery: all addresses of a name must be allowed, and the connection goes to one of them. */

import { isIP } from 'node:net';
import { isLoopback, isMetadata, isPublicAddress } from '../core/network/address-classes.ts';
import {
  type AllowEntry,
  canonicalHost,
  type Destination,
  isAllowed,
  isAllowedLiterally,
  isPortNamed,
} from '../core/network/allow-list.ts';
import { formatAddress, hostOfUrl, parseAddress, portOfUrl } from '../shared/addresses.ts';
import { destinationRefusals } from '../shared/problem-codes.ts';
import { isBlockedPort } from './ports.ts';

export type ResolvedAddress = { readonly address: string; readonly family: number };
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

export type GuardVerdict =
  | {
      readonly kind: 'allowed';
      readonly url: URL;
      /** Name or address, without brackets and trailing dot. */
      readonly host: string;
      readonly port: number;
      /** At least one, in the resolver's order. */
      readonly addresses: readonly ResolvedAddress[];
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

const maxUrlLength = 8192;
/** Bounds the connection attempts of one request. */
const maxAddresses = 4;

const refused = (reason: string): GuardVerdict => ({ kind: 'refused', reason });

/** The URL, or the reason why it is not a valid destination. */
function parseDestination(text: string): URL | string {
  const url = text.length > maxUrlLength ? null : URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'the destination must be an http or https URL';
  return url.username || url.password ? 'the destination must not contain a user name or password' : url;
}

export function createAddressGuard({
  allow,
  allowLoopback,
  resolve,
}: {
  allow: readonly AllowEntry[];
  allowLoopback: boolean;
  resolve: Resolve;
}): (url: string) => Promise<GuardVerdict> {
  const isOpen = (to: Destination): boolean => {
    if (isMetadata(to.address)) return isAllowedLiterally(allow, to);
    return isPublicAddress(to.address) || (allowLoopback && isLoopback(to.address)) || isAllowed(allow, to);
  };

  return async text => {
    const url = parseDestination(text);
    if (typeof url === 'string') return refused(url);
    const host = canonicalHost(hostOfUrl(url));
    const port = portOfUrl(url);

    let answers: readonly ResolvedAddress[];
    try {
      const family = isIP(host);
      answers = family ? [{ address: host, family }] : await resolve(host);
    } catch {
      answers = [];
    }
    if (answers.length === 0) return { kind: 'unreachable', reason: 'the host name cannot be resolved' };

    const addresses: ResolvedAddress[] = [];
    for (const answer of answers) {
      const address = parseAddress(answer.address);
      // One message for every kind of address, which reveals nothing about the network of this server.
      if (!address || !isOpen({ host, address, port })) return refused(destinationRefusals.not_public);
      if (isBlockedPort(port) && !isPortNamed(allow, { host, address, port })) {
        return refused(destinationRefusals.port_not_allowed);
      }
      addresses.push({ address: formatAddress(address), family: address.family });
    }
    return { kind: 'allowed', url, host, port, addresses: addresses.slice(0, maxAddresses) };
  };
}
