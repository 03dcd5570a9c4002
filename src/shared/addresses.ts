/* IP addresses as numbers. Only the dotted form is IPv4; an IPv4 address mapped into IPv6 is that IPv4 address. */

export type Address = { readonly family: 4 | 6; readonly value: bigint };

/** The addresses whose first `prefix` bits equal the first bits of `value`. `text` is what the operator wrote. */
export type Cidr = Address & { readonly prefix: number; readonly text: string };

/** The host of a URL: an IPv6 address without its brackets. */
export const hostOfUrl = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[(.*)\]$/, '$1');

export const portOfUrl = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

const ipv4MappedPrefix = 0xffffn;

/** Dotted decimal, four parts, no leading zeros. */
function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

/** Groups of one side of `::`; a dotted tail counts as two groups. */
function parseGroups(text: string, mayEndDotted: boolean): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const dotted = mayEndDotted && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (dotted === undefined) return undefined;
    groups.push(Number(dotted >> 16n), Number(dotted & 0xffffn));
  }
  return groups;
}

/** RFC 4291 section 2.2, without zone ids. */
function parseIpv6(text: string): bigint | undefined {
  const [left = '', right, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const head = parseGroups(left, right === undefined);
  const tail = parseGroups(right ?? '', true);
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

/** IPv4-mapped IPv6 becomes IPv4. Undefined for any other text, such as an address with brackets or a zone id. */
export function parseAddress(text: string): Address | undefined {
  // The longest spelling of an address has 45 characters; captured text can be megabytes.
  if (text.length > 45) return undefined;
  const ipv4 = parseIpv4(text);
  if (ipv4 !== undefined) return { family: 4, value: ipv4 };
  const ipv6 = text.includes(':') ? parseIpv6(text) : undefined;
  if (ipv6 === undefined) return undefined;
  return ipv6 >> 32n === ipv4MappedPrefix ? { family: 4, value: ipv6 & 0xffffffffn } : { family: 6, value: ipv6 };
}

/** Canonical text: dotted decimal, or RFC 5952 (lower case, longest run of zeros shortened). */
export function formatAddress({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map(shift => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let start = 0;
  let length = 0;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (groups[end] === '0') end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. Bits after the prefix are ignored; undefined if `text` is not a range. */
export function parseCidr(text: string): Cidr | undefined {
  const [base = '', bits, ...more] = text.split('/');
  const address = parseAddress(base);
  if (!address || more.length > 0) return undefined;
  const width = address.family === 4 ? 32 : 128;
  if (bits === undefined) return { ...address, prefix: width, text };
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  // A range written in mapped form (`::ffff:10.0.0.0/104`) counts its prefix from the front of the IPv6 address.
  const prefix = address.family === 4 && base.includes(':') ? Number(bits) - 96 : Number(bits);
  return prefix >= 0 && prefix <= width ? { ...address, prefix, text } : undefined;
}

export function isInCidr(address: Address, range: Cidr): boolean {
  if (address.family !== range.family) return false;
  const shift = BigInt((range.family === 4 ? 32 : 128) - range.prefix);
  return address.value >> shift === range.value >> shift;
}

export const isInAnyCidr = (address: Address, ranges: readonly Cidr[]): boolean =>
  ranges.some(range => isInCidr(address, range));

/** Whether a socket's remote address is in one of the ranges. */
export const peerIn =
  (ranges: readonly Cidr[]) =>
  (peer: string): boolean => {
    const address = parsePeer(peer);
    return address !== undefined && isInAnyCidr(address, ranges);
  };

/** Link-local addresses of peers end in the name of the interface. */
const parsePeer = (peer: string): Address | undefined => parseAddress(peer.replace(/%.*$/, ''));

/** The network to count requests by: the /64 of an IPv6 address, which every customer has; other texts are unchanged. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address?.family !== 6) return text;
  return `${formatAddress({ family: 6, value: (address.value >> 64n) << 64n })}/64`;
}

/** One hop of X-Forwarded-For: an address, with or without port, brackets and quotes. */
function parseHop(text: string): Address | undefined {
  const hop = text.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(hop) ?? [];
  return parseAddress(bracketed ?? plain ?? hop);
}

/**
 * The client's address: the rightmost hop that is not a trusted proxy. X-Forwarded-For is read only when the peer itself is
 * trusted; a hop that is not an address ends the search at the last trusted proxy.
 *
 * `peer` is the socket's remote address, `forwardedFor` the header's values joined with `,` in arrival order.
 */
export function clientAddress(from: {
  peer: string;
  forwardedFor?: string | undefined;
  trusted: readonly Cidr[];
}): string {
  let client = parsePeer(from.peer);
  if (!client) return from.peer;
  const hops = from.forwardedFor === undefined || from.trusted.length === 0 ? [] : from.forwardedFor.split(',');
  while (hops.length > 0 && isInAnyCidr(client, from.trusted)) {
    const hop = parseHop(hops.pop() ?? '');
    if (!hop) break;
    client = hop;
  }
  return formatAddress(client);
}
