/* Whether an address that a tunnel program announces can be the origin of ingest URLs. */

import { isHostName } from '../../core/network/allow-list.ts';
import { isLoopbackHost } from '../../core/network/hosts.ts';
import { hostOfUrl, parseAddress } from '../../shared/addresses.ts';

/** @returns the origin; undefined unless the text is `https://` with a full host name, and nothing else but a port */
export function readPublicOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  if (`${url.pathname}${url.search}${url.hash}` !== '/' || url.href.length > 300) return undefined;
  const host = hostOfUrl(url);
  const isPublic = isHostName(host) && host.includes('.') && !parseAddress(host) && !isLoopbackHost(host);
  return isPublic ? url.origin : undefined;
}
