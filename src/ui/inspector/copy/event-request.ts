/* An event as a request to copy, for a target that is always named. */

import type { EventDetail } from '../../../features/events/model.ts';
import { bytesOf } from '../body/bytes.ts';
import { type CopyRequest, sendableHeaders, withTarget } from './request.ts';

/** Where the event came in: the endpoint's URL with the captured path and query. */
export const endpointTarget = (event: Pick<EventDetail, 'path' | 'query'>, endpointUrl: string): string =>
  withTarget(endpointUrl, event.path, event.query ?? null);

export const requestTo = (event: EventDetail, url: string): CopyRequest => ({
  method: event.method ?? 'POST',
  url,
  headers: sendableHeaders(event.rawHeaders).headers,
  body: bytesOf(event.payloadRaw, event.payloadEncoding),
});
