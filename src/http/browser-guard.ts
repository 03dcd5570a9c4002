/*
 * Protects against DNS rebinding and CSRF. Requests that are anonymous or authenticated by a cookie must name a host of this
 * installation, and to change anything they must come from its own origin, as JSON. Requests with a bearer token are exempt: no
 * browser adds one by itself.
 */
import { isPublicAddress } from '../core/network/address-classes.ts';
import { hostOf, isLoopbackHost } from '../core/network/hosts.ts';
import { formatAddress, parseAddress } from '../shared/addresses.ts';
import type { SessionCookie } from './cookie.ts';
import { errorBody } from './errors.ts';

export type BrowserGuard = ReturnType<typeof createBrowserGuard>;

export type BrowserGuardOptions = {
  baseUrl: string;
  cookie: SessionCookie;
  /** The addresses of this machine. */
  ownAddresses: () => string[];
};

/** Paths without private data, for health probes, client generators and agents, which may use any host name. */
const anyHost = new Set(['/healthz', '/readyz', '/metrics', '/openapi.json', '/llms.txt']);

export function createBrowserGuard({ baseUrl, cookie, ownAddresses }: BrowserGuardOptions) {
  const base = new URL(baseUrl);
  const baseHost = hostOf(base.host);

  /** Whether `Host` is the host of BASE_URL, a loopback name, or an address of this machine. */
  const isOwnHost = (request: Request): boolean => {
    const header = request.headers.get('host');
    // Only HTTP/1.0 allows a missing Host, and no browser uses that.
    if (header === null) return true;
    const host = hostOf(header);
    if (host === undefined) return false;
    if (host === baseHost || isLoopbackHost(host)) return true;
    // DNS rebinding needs a name, so an address is safe. Any private address is accepted, because behind NAT this machine does
    // not know the address that clients use; a public address must be its own.
    const address = parseAddress(host);
    return address !== undefined && (!isPublicAddress(address) || ownAddresses().includes(formatAddress(address)));
  };

  /** Undefined if the request has no such header; current browsers always send one. */
  const isSameOrigin = (request: Request): boolean | undefined => {
    const site = request.headers.get('sec-fetch-site');
    if (site !== null) return site === 'same-origin' || site === 'none';
    // Over plain http browsers send Sec-Fetch-Site only to loopback, and old browsers never send it.
    const origin = request.headers.get('origin');
    if (origin === null) return undefined;
    if (origin === base.origin) return true;
    const host = request.headers.get('host')?.toLowerCase();
    return host !== undefined && host !== base.host && URL.parse(origin)?.host === host;
  };

  return {
    isOwnHost,
    /** For a change outside `/api/` that is authenticated by a cookie: whether it comes from this installation's own origin. */
    isOwnChange: (request: Request): boolean => isSameOrigin(request) ?? false,
    /** The refusal: 421, 403 or 415. @param isOpen an operation that needs no credentials */
    refuse(request: Request, path: string, isOpen: boolean): Response | undefined {
      const { method, headers } = request;
      const isApi = path.startsWith('/api/');
      if (!isApi && anyHost.has(path)) return undefined;
      if (isApi && (headers.has('authorization') || !(isOpen || cookie.read(request)))) return undefined;
      if (!isOwnHost(request))
        return errorBody(421, `this is not a name of this server; use ${baseUrl} (HOOKTAPE_BASE_URL)`);
      if (!isApi || method === 'GET' || method === 'HEAD') return undefined;
      // A program may sign in without an Origin; a request with a cookie is from a browser and must have one.
      if (!(isSameOrigin(request) ?? isOpen)) return errorBody(403, 'the request comes from another site');
      const type = headers.get('content-type');
      if (type === null ? method !== 'DELETE' : !/^application\/json\s*(?:;|$)/i.test(type))
        return errorBody(415, 'the content type must be application/json');
      return undefined;
    },
  };
}
