/* Text in which hits are marked. Everything stays text: a hit is an element around a piece of it, never markup. */

import { useMemo } from 'preact/hooks';
import type { Matched } from '../../../features/events/model.ts';
import { cutPath, visibleLine, visiblePreview } from '../../kit/format/visible.ts';
import { leadTo, matchedSpans } from './matched.ts';
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
  spans: readonly Span[];
  /** Where the hit begins that the reader is at. */
  current?: number | undefined;
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

const maxFieldCharacters = 36;

/** @param terms of `searchTermsOf`; keep the same array while they are the same */
export function MatchedLine({ match, terms }: { match: Matched; terms: readonly string[] }) {
  const pattern = useMemo(() => findPattern(terms), [terms]);
  const { spans, isWhole } = matchedSpans(match, pattern);
  const from = leadTo(match.text, spans);
  const { field } = match;
  return (
    <span class={`preview line grow ${isWhole ? 'whole-hit' : ''}`} title={visibleLine(`${field}: ${match.text}`)}>
      <span class="match-field cut faint">{visibleLine(cutPath(field, maxFieldCharacters))}: </span>
      <span class="cut soft">
        {from > 0 && '…'}
        <MarkedSpans
          text={match.text.slice(from)}
          spans={spans.map(({ start, end }) => ({ start: start - from, end: end - from }))}
          show={visiblePreview}
        />
      </span>
      {isWhole && <span class="offscreen">, the whole value</span>}
    </span>
  );
}
