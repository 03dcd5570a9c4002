/* Text in which hits are marked. Everything stays text: a hit is an element around a piece of it, never markup. */

import { useMemo } from 'preact/hooks';
import { findPattern, type Span, spansIn } from './pattern.ts';

const maxMarks = 200;

/** @param terms of `searchTermsOf`; keep the same array while they are the same */
export function MarkedText({ text, terms }: { text: string; terms: readonly string[] }) {
  const pattern = useMemo(() => findPattern(terms), [terms]);
  if (!pattern || text === '') return <>{text}</>;
  return <MarkedSpans text={text} spans={spansIn(text, pattern, maxMarks)} />;
}

type MarkedSpansProps = {
  text: string;
  /** In order, without overlaps. */
  spans: readonly Span[];
  /** Where the hit begins that the reader is at. */
  current?: number | undefined;
  /** What is shown for each piece of the text. */
  show?: (text: string) => string;
};

export function MarkedSpans({ text, spans, current, show = same }: MarkedSpansProps) {
  if (spans.length === 0) return <>{show(text)}</>;
  const pieces = [];
  let from = 0;
  for (const span of spans) {
    if (span.start > from) pieces.push(show(text.slice(from, span.start)));
    pieces.push(
      <mark key={span.start} class={span.start === current ? 'hit current-hit' : 'hit'}>
        {show(text.slice(span.start, span.end))}
      </mark>,
    );
    from = span.end;
  }
  if (from < text.length) pieces.push(show(text.slice(from)));
  return <>{pieces}</>;
}

const same = (text: string): string => text;
