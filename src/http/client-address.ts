/*
 * Where a request came from: the peer, or what a trusted proxy says (HOOKTAPE_TRUSTED_PROXIES). Without trusted proxies,
 * which is the usual case and the hot path, the header is not even looked at.
 */
import type { IncomingMessage } from 'node:http';
import { type Cidr, clientAddress } from '../core/addresses.ts';

export function createClientAddress(trusted: readonly Cidr[]): (req: IncomingMessage) => string {
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

  return req => {
    const peer = req.socket.remoteAddress ?? '';
    const header = trusted.length > 0 ? req.headers['x-forwarded-for'] : undefined;
    if (header === undefined) return plain(peer);
    return clientAddress({ peer, forwardedFor: [header].flat().join(','), trusted });
  };
}
