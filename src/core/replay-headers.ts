/*
 * Which captured headers a replay sends: all but credentials (they are stored redacted), headers of the connection or added by
 * proxies, and headers that belong to the new request.
 */

import {
  connectionFields,
  connectionOptions,
  type HeaderPair,
  isCredentialHeader,
  isTransitHeader,
} from './headers.ts';

/** Besides credentials and the headers that proxies add. */
const notReplayed = new Set<string>([
  ...connectionFields,
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

/** The header pairs to send, with order, case and repeats as captured. */
export function replayHeaders(rawHeaders: readonly HeaderPair[]): HeaderPair[] {
  const ofConnection = connectionOptions(rawHeaders);
  return rawHeaders.filter(([name]) => {
    const lower = name.toLowerCase();
    return !(notReplayed.has(lower) || isCredentialHeader(lower) || isTransitHeader(lower) || ofConnection.has(lower));
  });
}
