/*
 * The header in which a proxy names the person that it has signed in (HOOKTAPE_AUTH_HEADER). It is believed only if the connection
 * itself comes from one of the proxies, regardless of `X-Forwarded-For`. A header that is given twice, or that is not exactly one email
 * address, names no one.
 */
import { replayHeader } from '../core/replay/replay-headers.ts';
import { readEmail } from '../core/text.ts';
import { type Cidr, isInAnyCidr, parseAddress } from '../shared/addresses.ts';
import { requestContext } from './fetch-adapter.ts';

export type TrustedHeader = ReturnType<typeof createTrustedHeader>;

/** @param header undefined if no header is trusted; `name` in lower case @param onUnusable called the first time that a proxy's header names no one */
export function createTrustedHeader(
  header: { name: string; proxies: readonly Cidr[] } | undefined,
  onUnusable: () => void,
) {
  let isReported = false;
  /** Whether the connection comes from one of the proxies. */
  const isFromProxy = (request: Request): boolean => {
    const peer = parseAddress(requestContext(request).peer);
    return header !== undefined && peer !== undefined && isInAnyCidr(peer, header.proxies);
  };
  return {
    isFromProxy,
    /** The email address in the header of a proxy; undefined for a program, which sends `Authorization`, and for a replay. */
    emailOf(request: Request): string | undefined {
      const { headers } = request;
      // Values of a header that is given twice are joined by a comma, which no address has.
      const value = header && headers.get(header.name);
      // Proxies let programs pass, which they recognize by `Authorization`. A replay comes from this server, perhaps from the address
      // of the proxy, with headers that strangers chose.
      const isOfProgram = headers.has('authorization') || headers.has(replayHeader);
      if (typeof value !== 'string' || isOfProgram || !isFromProxy(request)) return undefined;
      try {
        return readEmail(value);
      } catch {
        if (!isReported) onUnusable();
        isReported = true;
        return undefined;
      }
    },
  };
}
