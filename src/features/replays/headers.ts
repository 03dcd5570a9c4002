/*
 * Which captured headers a replay sends: all but credentials (they are stored redacted), headers of the connection or added by
 * proxies, and headers that belong to the new request.
 */

import { type HeaderPair, isCredentialHeader, isTransitHeader } from '../../core/headers.ts';

/** Besides credentials and the headers that proxies add. */
const notReplayed = new Set([
  // Belong to one connection (RFC 9110 section 7.6.1).
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  // Set for the new request.
  'host',
  'content-length',
  'expect',
  'accept-encoding',
  // Added by proxies, but stored.
  'forwarded',
  // Set by the replay itself.
  'x-service-replay',
]);

/** Header names that the captured `Connection` header lists: they belong to that connection. */
const connectionOptions = (rawHeaders: readonly HeaderPair[]): Set<string> =>
  new Set(
    rawHeaders
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map(option => option.trim().toLowerCase())),
  );

/** The header pairs to send, with order, case and repeats as captured. */
export function replayHeaders(rawHeaders: readonly HeaderPair[]): HeaderPair[] {
  const ofConnection = connectionOptions(rawHeaders);
  return rawHeaders.filter(([name]) => {
    const lower = name.toLowerCase();
    return !(notReplayed.has(lower) || isCredentialHeader(lower) || isTransitHeader(lower) || ofConnection.has(lower));
  });
}
