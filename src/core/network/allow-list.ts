/* Addresses that requests may reach although they are not public. An entry with a port allows only that port. */

import {
  type Address,
  type Cidr,
  hostOfUrl,
  isInCidr,
  parseAddress,
  parseCidr,
  portOfUrl,
} from '../../shared/addresses.ts';

export type AllowEntry = { readonly text: string; readonly port?: number } & (
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'address'; readonly address: Address }
  | { readonly kind: 'cidr'; readonly range: Cidr }
);

/** Where a request will go: the name in the URL (no brackets), one address it resolves to, the port. */
export type Destination = { readonly host: string; readonly address: Address; readonly port: number };

/** Lower case and without the final dot, so that two spellings of one name are equal. */
export const canonicalHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');

const hostNameForm = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/;
const numericLastLabel = /(^|\.)(\d+|0x[0-9a-f]*)$/;

/** A DNS name. Something that ends like a number (`127.1`, `1.2.3.400`) is a mistyped address, not a name. */
export const isHostName = (host: string): boolean => hostNameForm.test(host) && !numericLastLabel.test(host);

/** `host`, `host:port`, IP, `IP:port`, `[v6]`, `[v6]:port` or CIDR; undefined for anything else. */
export function parseAllowEntry(text: string): AllowEntry | undefined {
  if (text.includes('/')) {
    const range = parseCidr(text);
    return range && { kind: 'cidr', range, text };
  }
  const bare = parseAddress(text);
  if (bare) return { kind: 'address', address: bare, text };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? {} : { port: Number(digits) };
  if (port.port !== undefined && (port.port < 1 || port.port > 65535)) return undefined;
  const address = parseAddress(bracketed ?? plain ?? '');
  if (address && (plain !== undefined || bracketed?.includes(':'))) return { kind: 'address', address, text, ...port };
  const host = canonicalHost(plain ?? '');
  return isHostName(host) ? { kind: 'host', host, text, ...port } : undefined;
}

const isSameAddress = (a: Address, b: Address): boolean => a.family === b.family && a.value === b.value;

function isMatch(entry: AllowEntry, { host, address }: Destination): boolean {
  if (entry.kind === 'host') return entry.host === canonicalHost(host);
  if (entry.kind === 'address') return isSameAddress(entry.address, address);
  return isInCidr(address, entry.range);
}

export const isAllowed = (entries: readonly AllowEntry[], to: Destination): boolean =>
  entries.some(entry => (entry.port === undefined || entry.port === to.port) && isMatch(entry, to));

/** An address that no entry of an address or range matches: these allow only URLs with an IP address. */
const noAddress: Address = { family: 6, value: 0n };

/** Whether an entry allows the URL as it is written: a name only by an entry with that name, whatever its addresses are. */
export function isUrlAllowed(entries: readonly AllowEntry[], url: URL): boolean {
  const host = hostOfUrl(url);
  const address = parseAddress(host);
  const named = entries.filter(({ kind }) => kind === 'host' || address !== undefined);
  return isAllowed(named, { host, address: address ?? noAddress, port: portOfUrl(url) });
}

/** Whether an entry is this exact address, rather than a host or a range that contains it. */
export const isAllowedLiterally = (entries: readonly AllowEntry[], to: Destination): boolean =>
  isAllowed(
    entries.filter(entry => entry.kind === 'address'),
    to,
  );

/** Whether an entry has this exact port (`host:25`, `10.0.0.5:25`). */
export const isPortNamed = (entries: readonly AllowEntry[], to: Destination): boolean =>
  isAllowed(
    entries.filter(entry => entry.port !== undefined),
    to,
  );
