/* What a search found in an event: which part of the value is the hit, and whether it is all of it. Pure. */

import type { Matched } from '../../../features/events/model.ts';
import { type Span, spansIn } from './pattern.ts';

const maxMarks = 20;
/** A hit that begins later in its value would not be seen in a row. */
const maxLead = 16;
const shownLead = 12;

/** A value that meets a term about its field, such as a number, is the hit itself. */
export function matchedSpans({ field, text }: Matched, pattern: RegExp | undefined) {
  const found = pattern ? spansIn(text, pattern, maxMarks) : [];
  const spans: readonly Span[] = found.length === 0 && field !== 'body' ? [{ start: 0, end: text.length }] : found;
  return { spans, isWhole: isWholeText(text, spans[0]) };
}

const isWholeText = (text: string, span: Span | undefined): boolean => span?.start === 0 && span.end === text.length;

export const hasWholeMatch = (matched: readonly Matched[], pattern: RegExp): boolean =>
  matched.some(({ text }) => isWholeText(text, spansIn(text, pattern, 1)[0]));

/** Where to begin, so that the first hit is near; never inside of a character. */
export function leadTo(text: string, [first]: readonly Span[]): number {
  if (!first || first.start <= maxLead) return 0;
  const from = first.start - shownLead;
  return /[\ud800-\udbff]/.test(text.charAt(from - 1)) ? from - 1 : from;
}
