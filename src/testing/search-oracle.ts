import type { Matcher } from '../core/blocks/search-text.ts';

/** Runs a matcher without pauses. */
export function matchesNow(matcher: Matcher, eventType: string | null, body: Uint8Array): boolean {
  const steps = matcher(eventType, body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
