/* Where an event meets a search: the field, and its value with the hit marked. Captured content is only text here. */

import { useMemo } from 'preact/hooks';
import type { Matched } from '../../../features/events/model.ts';
import { visibleLine, visiblePreview } from '../../kit/format/visible.ts';
import { MarkedSpans } from './marked-text.tsx';
import { leadTo, matchedSpans } from './matched.ts';
import { findPattern } from './pattern.ts';

const maxFieldCharacters = 36;

/** @param terms of `searchTermsOf`; keep the same array while they are the same */
export function MatchedLine({ match, terms }: { match: Matched; terms: readonly string[] }) {
  const pattern = useMemo(() => findPattern(terms), [terms]);
  const { spans, isWhole } = matchedSpans(match, pattern);
  const from = leadTo(match.text, spans);
  const { field } = match;
  const shownField = field.length > maxFieldCharacters ? `…${field.slice(-maxFieldCharacters)}` : field;
  return (
    <span class={`preview line grow ${isWhole ? 'whole-hit' : ''}`} title={visibleLine(`${field}: ${match.text}`)}>
      <span class="match-field cut faint">{visibleLine(shownField)}: </span>
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
