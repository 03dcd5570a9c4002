/* Host headers. Only the name matters: proxies and container port mappings change the port. */

import { parseAddress } from '../../shared/addresses.ts';
import { isLoopback } from './address-classes.ts';
import { canonicalHost, isHostName } from './allow-list.ts';

/** The name or address in a Host header, lower case, no port, no brackets; undefined for anything but one well-formed host. */
export function hostOf(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  if (bracketed !== undefined) return parseAddress(bracketed) && bracketed.toLowerCase();
  if (plain === undefined) return undefined;
  const host = canonicalHost(plain);
  return parseAddress(host) || isHostName(host) ? host : undefined;
}

/** `localhost`, names below it (RFC 6761 section 6.3), and loopback addresses. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const address = parseAddress(host);
  return address !== undefined && isLoopback(address);
}
