/* What a tool knows of its request. Shortens what senders chose (bodies, headers, paths) until the result of a tool fits into 64 KiB. */

import type { Principal } from '../../core/access/principal.ts';
import { firstCharacters } from '../../core/text.ts';
import type { EventSummary } from '../events/model.ts';
import { maxResultBytes } from './model.ts';

export const maxPathCharacters = 200;
/** Lengths of the previews in a list, tried in turn until the list fits. */
const previewLengths = [200, 80, 20, 0];
const maxHeaderCharacters = 1024;
const maxHeadersCharacters = 16_384;
/** The space for the other fields of a list. */
const reservedBytes = 2048;

/** The bytes of a result in its response, which contains it twice: as structured content, and as text for older clients. */
export function answerBytes(result: unknown): number {
  const text = JSON.stringify(result);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
}

/**
 * Shortens the previews and paths, and at last leaves out the highlights, so that all summaries fit. `truncated`: previews are
 * shorter than usual.
 */
export function fitSummaries(events: readonly EventSummary[]): { events: EventSummary[]; truncated: boolean } {
  const shorten = (previewCharacters: number, pathCharacters: number): EventSummary[] =>
    events.map(event => ({
      ...event,
      payloadPreview: firstCharacters(event.payloadPreview, previewCharacters),
      highlights: previewCharacters === 0 ? [] : event.highlights,
      path: firstCharacters(event.path, pathCharacters),
    }));
  for (const characters of previewLengths) {
    const shortened = shorten(characters, maxPathCharacters);
    if (answerBytes(shortened) <= maxResultBytes - reservedBytes)
      return { events: shortened, truncated: characters !== previewLengths[0] };
  }
  return { events: shorten(0, 0), truncated: true };
}

/** Shortens each header value, and leaves out headers beyond the total. */
export function fitHeaders(headers: Record<string, string>): { headers: Record<string, string>; truncated: boolean } {
  let left = maxHeadersCharacters;
  let truncated = false;
  const fitted = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const shortened = firstCharacters(value, Math.max(0, Math.min(maxHeaderCharacters, left)));
    left -= name.length + shortened.length;
    if (shortened !== value || left < 0) truncated = true;
    return left < 0 ? [] : [[name, shortened]];
  });
  return { headers: Object.fromEntries(fitted), truncated };
}

/** The request that a tool is called in. */
export type ToolContext = {
  principal: Principal;
  /** Authenticates the request again; undefined when its credentials are no longer valid. */
  recheck: () => Promise<Principal | undefined>;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined;
};
