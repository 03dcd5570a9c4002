/*
 * What a browser may be talked into. Pages and calls that a cookie or nothing authenticates are answered only under a name of
 * this installation (DNS rebinding), and change something only when their own origin asks, in JSON (CSRF). Bearer calls are
 * not judged here: no browser adds a bearer token by itself.
 */
import { isPublicAddress } from '../core/address-classes.ts';
import { formatAddress, parseAddress } from '../core/addresses.ts';
import { hostOf, isLoopbackHost } from '../core/hosts.ts';
import type { SessionCookie } from './cookie.ts';
import { errorBody } from './errors.ts';

export type BrowserGuard = {
  /** Whether the request names this installation: the host of BASE_URL, a loopback name, or an address of this host. */
  isOwnHost: (request: Request) => boolean;
  /** For a change outside `/api/` that a cookie authenticates: whether a page of this installation sent it. */
  isOwnChange: (request: Request) => boolean;
  /** The refusal: 421, 403 or 415. @param isOpen an operation that needs no credentials */
  refuse: (request: Request, path: string, isOpen: boolean) => Response | undefined;
};

export type BrowserGuardOptions = {
  baseUrl: string;
  cookie: SessionCookie;
  /** The addresses of this machine. */
  ownAddresses: () => string[];
};

/** For probes and generators of clients, which come under any name and learn nothing of anybody's. */
const anyHost = new Set(['/healthz', '/readyz', '/metrics', '/openapi.json']);

export function createBrowserGuard({ baseUrl, cookie, ownAddresses }: BrowserGuardOptions): BrowserGuard {
  const base = new URL(baseUrl);
  const baseHost = hostOf(base.host);

  const isOwnHost = (request: Request): boolean => {
    const header = request.headers.get('host');
    // Only HTTP/1.0 goes without, which no browser speaks.
    if (header === null) return true;
    const host = hostOf(header);
    if (host === undefined) return false;
    if (host === baseHost || isLoopbackHost(host)) return true;
    // An address cannot be rebound. Behind NAT this host does not know its own private one; a public one it must have.
    const address = parseAddress(host);
    return address !== undefined && (!isPublicAddress(address) || ownAddresses().includes(formatAddress(address)));
  };

  /** undefined when the request does not say (no browser of today). */
  const isSameOrigin = (request: Request): boolean | undefined => {
    const site = request.headers.get('sec-fetch-site');
    if (site !== null) return site === 'same-origin' || site === 'none';
    // Browsers leave Sec-Fetch-Site out over plain http to anything but loopback, and older ones always.
    const origin = request.headers.get('origin');
    if (origin === null) return undefined;
    if (origin === base.origin) return true;
    const host = request.headers.get('host')?.toLowerCase();
    return host !== undefined && host !== base.host && URL.parse(origin)?.host === host;
  };

  return {
    isOwnHost,
    isOwnChange: request => isSameOrigin(request) ?? false,
    refuse(request, path, isOpen) {
      const { method, headers } = request;
      const isApi = path.startsWith('/api/');
      if (!isApi && anyHost.has(path)) return undefined;
      if (isApi && (headers.has('authorization') || !(isOpen || cookie.read(request)))) return undefined;
      if (!isOwnHost(request))
        return errorBody(421, `this is not a name of this server; use ${baseUrl} (HOOKTAPE_BASE_URL)`);
      if (!isApi || method === 'GET' || method === 'HEAD') return undefined;
      // A program without a cookie may sign in without saying where it comes from; one with a cookie is a browser.
      if (!(isSameOrigin(request) ?? isOpen)) return errorBody(403, 'the request comes from another site');
      const type = headers.get('content-type');
      if (type === null ? method !== 'DELETE' : !/^application\/json\s*(?:;|$)/i.test(type))
        return errorBody(415, 'the content type must be application/json');
      return undefined;
    },
  };
}
