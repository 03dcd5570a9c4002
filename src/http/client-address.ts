/*
 * Where a request came from: the peer, or what a trusted proxy says (HOOKTAPE_TRUSTED_PROXIES). Without trusted proxies,
 * which is the usual case and the hot path, the header is not even looked at.
 */
import type { IncomingMessage } from 'node:http';
import { type Cidr, clientAddress } from '../core/addresses.ts';

/** A connection's other end, and the values of `X-Forwarded-For` joined with a comma. */
export type Sender = { readonly peer: string; readonly forwardedFor: string | undefined };

export const senderOf = (req: IncomingMessage): Sender => ({
  peer: req.socket.remoteAddress ?? '',
  get forwardedFor() {
    const header = req.headers['x-forwarded-for'];
    return Array.isArray(header) ? header.join(',') : header;
  },
});

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
