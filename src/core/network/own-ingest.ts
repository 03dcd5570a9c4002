/*
 * Whether a URL is an ingest URL of this server, so that no event is forwarded in a circle. Circles through other servers end by
 * counting hops.
 */
import { hostOfUrl, portOfUrl } from '../../shared/addresses.ts';
import { canonicalHost } from './allow-list.ts';
import { isLoopbackHost } from './hosts.ts';

/** A random token identifies this server even under another name; a fixed address may belong to another server. */
const randomToken = /^[0-9a-hjkmnp-tv-z]{32}$/;

export function createOwnIngestCheck({
  urls,
  port,
  isKnownToken,
}: {
  /** The base URL, and the origin of ingest URLs, which may change. */
  urls: () => readonly string[];
  /** The port on which the server listens. */
  port: number;
  isKnownToken: (token: string) => Promise<boolean>;
}) {
  return async (given: string): Promise<boolean> => {
    const url = URL.parse(given);
    const [, start, token = ''] = url?.pathname.split('/') ?? [];
    if (!url || start !== 'in') return false;
    const isHere = isLoopbackHost(canonicalHost(hostOfUrl(url))) && portOfUrl(url) === port;
    const isOwn = urls().some(own => placeOf(new URL(own)) === placeOf(url));
    return isHere || isOwn || (randomToken.test(token) && (await isKnownToken(token)));
  };
}

const placeOf = (url: URL): string => `${canonicalHost(hostOfUrl(url))}:${portOfUrl(url)}`;
