/* Whether a URL is an ingest URL of this server, so that nothing is forwarded in a circle. Loops by other ways end by counting hops. */
import { hostOfUrl, portOfUrl } from '../../shared/addresses.ts';
import { canonicalHost } from './allow-list.ts';
import { isLoopbackHost } from './hosts.ts';

/** Under another name of this server, a random token gives it away; a fixed address may be one of another server. */
const randomToken = /^[0-9a-hjkmnp-tv-z]{32}$/;

export function createOwnIngestCheck({
  urls,
  port,
  isKnownToken,
}: {
  /** The base URL, and the URL for deliveries where there is one. */
  urls: readonly string[];
  /** On which the server listens. */
  port: number;
  isKnownToken: (token: string) => Promise<boolean>;
}) {
  const places = new Set(urls.map(url => placeOf(new URL(url))));
  return async (given: string): Promise<boolean> => {
    const url = URL.parse(given);
    const [, start, token = ''] = url?.pathname.split('/') ?? [];
    if (!url || start !== 'in') return false;
    const isHere = isLoopbackHost(canonicalHost(hostOfUrl(url))) && portOfUrl(url) === port;
    return isHere || places.has(placeOf(url)) || (randomToken.test(token) && (await isKnownToken(token)));
  };
}

const placeOf = (url: URL): string => `${canonicalHost(hostOfUrl(url))}:${portOfUrl(url)}`;
