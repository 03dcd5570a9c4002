/*
 * Which captured headers are sent again: what the platform said, without credentials (stored redacted), without what
 * proxies and the connection added, and without what the new request must say for itself.
 */

import { type HeaderPair, isCredentialHeader, isTransitHeader } from '../../core/headers.ts';

/** Besides credentials and what an edge proxy adds. */
const notReplayed = new Set([
  // Of one connection only (RFC 9110 section 7.6.1).
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  // Said anew for the new request.
  'host',
  'content-length',
  'expect',
  'accept-encoding',
  // Added in transit, and stored.
  'forwarded',
  // Ours, set by the caller.
  'x-service-replay',
]);

/** Header names that the sender's `Connection` declares to be of that connection only. */
const nominated = (rawHeaders: readonly HeaderPair[]): Set<string> =>
  new Set(
    rawHeaders
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map(option => option.trim().toLowerCase())),
  );

/** The pairs to send again: order, case and repeats as captured. */
export function replayHeaders(rawHeaders: readonly HeaderPair[]): HeaderPair[] {
  const ofConnection = nominated(rawHeaders);
  return rawHeaders.filter(([name]) => {
    const lower = name.toLowerCase();
    return !(notReplayed.has(lower) || isCredentialHeader(lower) || isTransitHeader(lower) || ofConnection.has(lower));
  });
}
