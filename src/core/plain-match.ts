/* The plainest text filter: case-insensitive substring of the event type or of the body as text, every character literal. */
import { decodeUtf8 } from './text.ts';

export function plainMatcher(q: string): (event: { eventType: string | null; body: Uint8Array }) => boolean {
  const wanted = q.toLowerCase();
  return ({ eventType, body }) =>
    (eventType?.toLowerCase().includes(wanted) ?? false) || (decodeUtf8(body)?.toLowerCase().includes(wanted) ?? false);
}
