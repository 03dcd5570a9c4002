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
  redacted,
} from '../../core/headers.ts';

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

/**
 * The header pairs to edit and sign, with order, case and repeats as captured. Credentials are still there, redacted, because a
 * signature may have been in one: `withoutRedacted` removes what is left of them.
 */
export function replayHeaders(rawHeaders: readonly HeaderPair[]): HeaderPair[] {
  const ofConnection = connectionOptions(rawHeaders);
  return rawHeaders.flatMap(([name, value]): HeaderPair[] => {
    const lower = name.toLowerCase();
    if (notReplayed.has(lower) || isTransitHeader(lower) || ofConnection.has(lower)) return [];
    return [[name, isCredentialHeader(lower) ? redacted : value]];
  });
}

export const withoutRedacted = (headers: readonly HeaderPair[]): HeaderPair[] =>
  headers.filter(([name, value]) => !(isCredentialHeader(name.toLowerCase()) && value === redacted));
