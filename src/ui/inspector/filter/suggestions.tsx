/* The list of suggestions under the search box. The box has the focus and the keyboard. */

import { useEffect, useRef } from 'preact/hooks';
import { visibleLine } from '../../kit/format/visible.ts';
import type { Completion, Suggestion } from './completion.ts';

const maxShownCharacters = 120;
const maxFieldCharacters = 38;

type SuggestionsProps = {
  /** The list is `{id}-list`, its options `{id}-0`, … */
  id: string;
  completion: Completion | undefined;
  active: number;
  /** The action of Enter while nothing is chosen. */
  enterHint: string;
  onTake: (suggestion: Suggestion) => void;
};

export function Suggestions({ id, completion, active, enterHint, onTake }: SuggestionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  if (!completion) return null;
  return (
    // The box keeps the focus when the list is pressed or scrolled.
    <div class="popup suggestions" onPointerDown={event => event.preventDefault()}>
      <div id={`${id}-list`} role="listbox" aria-label="Suggestions" tabIndex={-1} ref={list}>
        {completion.suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keyboard.
          <div
            key={suggestion.text}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            onClick={() => onTake(suggestion)}
          >
            <code class="rigid cut">{suggestion.isWhole ? shown(suggestion.text) : shownField(suggestion.text)}</code>
            {suggestion.hint && <span class="suggestion-hint grow faint">{shown(suggestion.hint)}</span>}
          </div>
        ))}
      </div>
      <p class="suggestions-keys line tight faint small" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Tab</kbd> complete <kbd>Enter</kbd> {enterHint}
      </p>
    </div>
  );
}

const shown = (text: string): string =>
  visibleLine(text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text);

/** Keeps the end of a long path, its most specific part. */
const shownField = (text: string): string =>
  visibleLine(text.length > maxFieldCharacters ? `…${text.slice(-maxFieldCharacters)}` : text);
