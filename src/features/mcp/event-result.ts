/* The result of the tool `get_event`. */
import { firstCharacters } from '../../core/text.ts';
import type { EventExcerpt } from '../events/excerpt.ts';
import { answerBytes, fitHeaders, maxPathCharacters } from './answer-size.ts';
import { maxResultBytes, notice, type Output } from './model.ts';

const maxQueryCharacters = 4096;
const maxDestinationCharacters = 500;
const maxReplays = 5;

/** @param bodyOffset where in the body the excerpt begins */
export function toEventResult(event: EventExcerpt, bodyOffset: number): Output<'get_event'> {
  const { headers, truncated: areHeadersTruncated } = fitHeaders(event.headers);
  const withBody = (body: string): Output<'get_event'> => ({
    notice,
    id: event.id,
    endpointId: event.endpointId,
    eventType: event.eventType,
    platform: event.platform,
    method: event.method,
    receivedAt: event.receivedAt,
    path: firstCharacters(event.path, maxPathCharacters),
    query: event.query === null ? null : firstCharacters(event.query, maxQueryCharacters),
    headers,
    size: event.size,
    sha256: event.sha256,
    signatureValid: event.signatureValid,
    pin: event.pin,
    tags: event.tags,
    signatureReason: event.signature?.reason ?? null,
    body,
    bodyEncoding: event.encoding,
    bodyOffset,
    bodyTotal: event.totalCharacters,
    truncated:
      areHeadersTruncated ||
      bodyOffset > 0 ||
      bodyOffset + body.length < event.totalCharacters ||
      event.path.length > maxPathCharacters ||
      (event.query?.length ?? 0) > maxQueryCharacters,
    replays: event.replays.slice(0, maxReplays).map(({ destination, status, ok, durationMs, createdAt }) => ({
      destination: firstCharacters(destination, maxDestinationCharacters),
      status,
      ok,
      durationMs,
      createdAt,
    })),
  });
  // JSON escapes make a text up to six times as long: halve the body until the result fits.
  let body = event.text;
  while (body !== '' && answerBytes(withBody(body)) > maxResultBytes) body = body.slice(0, Math.floor(body.length / 2));
  return withBody(body);
}
