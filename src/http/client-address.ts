/*
 * Where a request came from: the peer, or what a trusted proxy says (HOOKTAPE_TRUSTED_PROXIES). Without trusted proxies,
 * which is the usual case, the header says nothing.
 */
import type { IncomingMessage } from 'node:http';
import { type Cidr, clientAddress } from '../core/addresses.ts';

/** A connection's other end, and the values of `X-Forwarded-For` joined with a comma. */
export type Sender = { readonly peer: string; readonly forwardedFor: string | undefined };

export function senderOf({ socket, headers }: IncomingMessage): Sender {
  const header = headers['x-forwarded-for'];
  return { peer: socket.remoteAddress ?? '', forwardedFor: Array.isArray(header) ? header.join(',') : header };
}

export function createClientAddress(trusted: readonly Cidr[]): (sender: Sender) => string {
  // Peers repeat; their spelling is worked out once.
  const known = new Map<string, string>();
  const maxKnown = 10_000;

  const plain = (peer: string): string => {
    let address = known.get(peer);
    if (address === undefined) {
      if (known.size >= maxKnown) known.clear();
      address = clientAddress({ peer, trusted: [] });
      known.set(peer, address);
    }
    return address;
  };

  return sender => {
    const { peer } = sender;
    const forwardedFor = trusted.length > 0 ? sender.forwardedFor : undefined;
    return forwardedFor === undefined ? plain(peer) : clientAddress({ peer, forwardedFor, trusted });
  };
}
