/*
 * Decides whether a URL that somebody else chose may be requested, and pins the addresses it may be requested at. The name
 * is resolved once, every address it has must pass, and the connection must go to one of those and resolve nothing again.
 */

import { isIP } from 'node:net';
import { isLoopback, isMetadata, isPublicAddress } from '../core/address-classes.ts';
import { formatAddress, parseAddress } from '../core/addresses.ts';
import {
  type AllowEntry,
  canonicalHost,
  type Destination,
  isAllowed,
  isAllowedLiterally,
  isPortNamed,
} from '../core/allow-list.ts';
import { isBlockedPort } from './ports.ts';

export type ResolvedAddress = { readonly address: string; readonly family: number };
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

export type GuardVerdict =
  | {
      readonly kind: 'allowed';
      readonly url: URL;
      /** Name or address without brackets and final dot. */
      readonly host: string;
      readonly port: number;
      /** At least one, in the resolver's order. */
      readonly addresses: readonly ResolvedAddress[];
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** One text for every class of address: the answer must not map the network that Hooktape stands in. */
const BLOCKED_ADDRESS = 'the destination is not a public address';

const MAX_URL_LENGTH = 8192;
/** A name with a thousand addresses must not become a thousand connections. */
const MAX_ADDRESSES = 4;

const refused = (reason: string): GuardVerdict => ({ kind: 'refused', reason });

/** The URL, or why it cannot be a destination whatever it resolves to. */
function parseDestination(text: string): URL | string {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'the destination is not an http or https URL';
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
    const host = canonicalHost(url.hostname.replace(/^\[(.*)\]$/, '$1'));
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));

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
      if (!address || !isOpen({ host, address, port })) return refused(BLOCKED_ADDRESS);
      if (isBlockedPort(port) && !isPortNamed(allow, { host, address, port })) {
        return refused('the port of the destination is not allowed');
      }
      addresses.push({ address: formatAddress(address), family: address.family });
    }
    return { kind: 'allowed', url, host, port, addresses: addresses.slice(0, MAX_ADDRESSES) };
  };
}
