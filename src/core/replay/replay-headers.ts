/* Which captured headers a replay sends: no credentials, none of the connection or of proxies, none of the new request. */

import {
  connectionFields,
  connectionOptions,
  type HeaderPair,
  isCredentialHeader,
  isTransitHeader,
  redacted,
} from '../headers.ts';

/** The id of the event, in every request that sends a captured one: replays and forwards. */
export const replayHeader = 'x-service-replay';

/** Fields of one connection, and fields that are set for each request: neither a captured nor an edited one is sent. */
export const fieldsOfRequest: readonly string[] = [
  ...connectionFields,
  'host',
  'content-length',
  'expect',
  'accept-encoding',
  replayHeader,
];

/** `forwarded` is added by proxies, but stored. */
const notReplayed = new Set<string>([...fieldsOfRequest, 'forwarded']);

/** To edit and sign, as captured, with redacted credentials: a signature may have been in one. `sentHeaders` removes the rest. */
export function replayHeaders(rawHeaders: readonly HeaderPair[]): HeaderPair[] {
  const ofConnection = connectionOptions(rawHeaders);
  return rawHeaders.flatMap(([name, value]): HeaderPair[] => {
    const lower = name.toLowerCase();
    if (notReplayed.has(lower) || isTransitHeader(lower) || ofConnection.has(lower)) return [];
    return [[name, isCredentialHeader(lower) ? redacted : value]];
  });
}

/** The headers as they are sent: without redacted credentials, and with the fields that identify the event. */
export function sentHeaders(
  headers: readonly HeaderPair[],
  { eventId, isEdited }: { eventId: string; isEdited: boolean },
): HeaderPair[] {
  const kept = headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    return !(isCredentialHeader(lower) && value === redacted) && !(isEdited && lower === 'x-hooktape-edited');
  });
  return [...kept, ...(isEdited ? [['x-hooktape-edited', '1'] as const] : []), [replayHeader, eventId]];
}
