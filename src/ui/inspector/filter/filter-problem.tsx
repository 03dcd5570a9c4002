/* The problem of the text in the search box: its place is marked in the text, and the reason is shown below the box. */

import type { RefObject } from 'preact';
import type { FilterError } from '../../../shared/filter/filter.ts';
import { quoted, toCharacters } from '../../../shared/filter/tokens.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { problemIn, withNearest } from './filter-text.ts';

type MarkedTextProps = { mirror: RefObject<HTMLDivElement | null>; text: string; problem: FilterError | undefined };

/** Lies under the text of the box, which has the same letters in the same places, and underlines what is wrong. */
export function MarkedText({ mirror, text, problem }: MarkedTextProps) {
  if (!problem) return null;
  const characters = toCharacters(text);
  const rest = characters.slice(problem.position).join('');
  // A word; or one character that is not part of one; or the place behind the text.
  const marked = /^(?:[\p{L}\p{N}_.-]+|.)/su.exec(rest)?.[0] ?? '';
  return (
    <div class="search-mirror" aria-hidden="true" ref={mirror}>
      {characters.slice(0, problem.position).join('')}
      <mark>{marked || '\u00a0'}</mark>
      {rest.slice(marked.length)}
    </div>
  );
}

type FilterProblemProps = {
  id: string;
  text: string;
  problem: FilterError;
  onCorrect: (text: string) => void;
};

export function FilterProblem({ id, text, problem, onCorrect }: FilterProblemProps) {
  const corrected = withNearest(text, problem);
  const phrase = quoted(text.trim());
  return (
    <div class="filter-problem row tight bad breaks" role="alert" id={id}>
      <span>{sentence(visibleLine(problem.message))}</span>
      {corrected !== undefined && (
        <button type="button" class="button" onClick={() => onCorrect(corrected)}>
          Use “{problem.nearest}” <kbd>Enter</kbd>
        </button>
      )}
      {corrected === undefined && !problemIn(phrase) && (
        <button type="button" class="button" onClick={() => onCorrect(phrase)}>
          Search for this text
        </button>
      )}
    </div>
  );
}

const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.');
