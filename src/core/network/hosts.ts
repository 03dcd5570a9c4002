/* Host headers. Only the name matters: proxies and container port mappings change the port. */

import { hostOfUrl, parseAddress, portOfUrl } from '../../shared/addresses.ts';
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

/** A random token identifies this server even under another name; a fixed address may belong to another server. */
const randomToken = /^[0-9a-hjkmnp-tv-z]{32}$/;

/** Whether a URL is an ingest URL of this server. Circles through other servers end by counting hops. */
export function createOwnIngestCheck({
  urls,
  port,
  isKnownToken,
}: {
  /** The base URL, and the origin of ingest URLs, which may change. */
  urls: () => readonly string[];
  port: number;
  isKnownToken: (token: string) => Promise<boolean>;
}) {
  return async (given: string): Promise<boolean> => {
    const url = URL.parse(given);
    const [, start, token = ''] = url?.pathname.split('/') ?? [];
    if (!url || start !== 'in') return false;
    const isHere = isLoopbackHost(canonicalHost(hostOfUrl(url))) && portOfUrl(url) === port;
    const isOwn = urls().some(own => placeOf(new URL(own)) === placeOf(url));
    return isHere || isOwn || (randomToken.test(token) && (await isKnownToken(token)));
  };
}

const placeOf = (url: URL): string => `${canonicalHost(hostOfUrl(url))}:${portOfUrl(url)}`;
