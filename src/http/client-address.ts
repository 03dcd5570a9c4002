/* The address of a request's client: the peer's, or what a trusted proxy says in `X-Forwarded-For` (HOOKTAPE_TRUSTED_PROXIES). */
import type { IncomingMessage } from 'node:http';
import { type Cidr, clientAddress } from '../shared/addresses.ts';

/** The peer's address, and the values of `X-Forwarded-For` joined with a comma. */
export type Sender = { readonly peer: string; readonly forwardedFor: string | undefined };

export function senderOf({ socket, headers }: IncomingMessage): Sender {
  const header = headers['x-forwarded-for'];
  return { peer: socket.remoteAddress ?? '', forwardedFor: Array.isArray(header) ? header.join(',') : header };
}

export function createClientAddress(trusted: readonly Cidr[]): (sender: Sender) => string {
  // Peers repeat, so their canonical form is cached.
  const cache = new Map<string, string>();
  const maxCached = 10_000;

  const canonical = (peer: string): string => {
    let address = cache.get(peer);
    if (address === undefined) {
      if (cache.size >= maxCached) cache.clear();
      address = clientAddress({ peer, trusted: [] });
      cache.set(peer, address);
    }
    return address;
  };

  return sender => {
    const { peer } = sender;
    const forwardedFor = trusted.length > 0 ? sender.forwardedFor : undefined;
    return forwardedFor === undefined ? canonical(peer) : clientAddress({ peer, forwardedFor, trusted });
  };
}
