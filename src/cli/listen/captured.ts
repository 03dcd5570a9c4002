/* Converts events from the feed, or single events, to the form of a session. */
import type { HeaderPair } from '../../core/headers.ts';
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import type { FeedEvent } from '../../features/feed/model.ts';
import type { CapturedEvent } from './model.ts';
import type { ListenerRequest } from './replay-channel.ts';

type EndpointName = { id: string; name: string };

export const headerValue = (headers: readonly HeaderPair[], name: string): string | undefined =>
  headers.find(([spelling]) => spelling.toLowerCase() === name)?.[1];

/** undefined for an event that is damaged on the server and cannot be sent. */
export function fromFeed(endpoint: EndpointName, event: FeedEvent): CapturedEvent | undefined {
  const { rawHeaders, payloadRaw, payloadEncoding, query } = event;
  if (!rawHeaders || typeof payloadRaw !== 'string') return undefined;
  return {
    ...summaryOf(endpoint, event),
    verdict: event.verdict,
    preview: event.payloadPreview,
    query,
    headers: rawHeaders,
    body: Buffer.from(payloadRaw, payloadEncoding ?? 'utf8'),
  };
}

export const fromDetail = (endpoint: EndpointName, event: EventDetail): CapturedEvent => ({
  ...summaryOf(endpoint, event),
  verdict: event.signature?.verdict ?? 'none',
  preview: event.payloadEncoding === 'utf8' ? event.payloadRaw.slice(0, 200) : '',
  query: event.query,
  headers: event.rawHeaders,
  body: Buffer.from(event.payloadRaw, event.payloadEncoding),
});

export const fromReplay = (
  endpoint: EndpointName,
  { event, query, method, headers, body }: ListenerRequest,
): CapturedEvent => ({
  ...summaryOf(endpoint, event),
  method,
  verdict: event.verdict,
  preview: event.payloadPreview,
  query,
  headers,
  body,
});

type Summary = Pick<EventSummary, 'id' | 'eventType' | 'platform' | 'method' | 'path' | 'receivedAt' | 'size'>;

function summaryOf({ id: endpointId, name: endpoint }: EndpointName, event: Summary) {
  const { id, eventType: type, platform, method, path, receivedAt, size } = event;
  return { id, endpointId, endpoint, type, platform, method, path, receivedAt, size };
}
