/*
 * The search box, a combobox (ARIA 1.2): its text is the filter of the list. Suggestions are taken with Tab, or with Enter after an
 * arrow key has chosen one; Enter alone always searches. What is wrong is marked in the text and explained below it.
 */

import type { RefObject } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../components/icon-button.tsx';
import { Icon } from '../components/icons.tsx';
import { focusList } from '../components/list-focus.ts';
import { useKeyNotes } from '../components/use-hotkeys.ts';
import type { Suggestion } from './completion.ts';
import { FilterProblem, MarkedText } from './filter-problem.tsx';
import { withNearest } from './filter-text.ts';
import { Suggestions } from './suggestions.tsx';
import { useCompletion } from './use-completion.ts';
import { useFilterText } from './use-filter-text.ts';
import type { SeenSource } from './use-seen-values.ts';

type SearchBoxProps = {
  inputRef: RefObject<HTMLInputElement | null>;
  where: string;
  onFilter: (where: string, options: { isStep: boolean }) => void;
  seen: SeenSource;
};

export function SearchBox({ inputRef, where, onFilter, seen }: SearchBoxProps) {
  const id = useId();
  const mirror = useRef<HTMLDivElement>(null);
  const [text, setText] = useState(where);
  const { completion, active, setActive, open, close, placeCaret, onCaret } = useCompletion(inputRef, text, seen);
  const { type, commit, problem, begin } = useFilterText({
    where,
    text,
    setText,
    onFilter,
    isChoosing: completion?.isValue ?? false,
  });

  useKeyNotes({
    ArrowDown: 'In the search box: choose a suggestion',
    ArrowUp: 'In the search box: choose a suggestion',
    Tab: 'In the search box: complete the word',
    Escape: 'In the search box: back to the list',
  });

  useLayoutEffect(() => {
    if (mirror.current && inputRef.current) mirror.current.scrollLeft = inputRef.current.scrollLeft;
  });

  const take = (suggestion: Suggestion): void => {
    if (!completion) return;
    const after = text.slice(completion.end);
    const space = suggestion.isWhole && !/^[\s)]/.test(after) ? ' ' : '';
    const head = text.slice(0, completion.start) + suggestion.text + space;
    placeCaret(head.length);
    if (suggestion.isWhole) close();
    if (suggestion.isWhole) commit(head + after);
    else type(head + after);
  };
  /** A step of its own in the browser's history. */
  const replaceBy = (next: string): void => {
    begin();
    commit(next);
  };
  /** What is typed after it is another step in the browser's history. */
  const search = (): void => {
    close();
    commit((problem && withNearest(text, problem)) ?? text);
    begin();
  };
  const leave = (): void => {
    inputRef.current?.blur();
    focusList('');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const chosen = completion?.suggestions[active];
    // Tab completes a word that was begun. In an empty place it moves on, as everywhere.
    const completed = chosen ?? (completion?.prefix ? completion.suggestions[0] : undefined);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!completion) open();
      else setActive(nextActive(active, completion.suggestions.length, event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') {
      if (chosen) take(chosen);
      else search();
    } else if (event.key === 'Tab' && !event.shiftKey && completed) take(completed);
    else if (event.key === 'Escape') {
      close();
      if (!completion || text === '') leave();
    } else return;
    event.preventDefault();
  };

  return (
    <>
      <search class={`search ${problem ? 'wrong' : ''}`}>
        <Icon name="search" />
        <div class="search-field">
          <MarkedText mirror={mirror} text={text} problem={problem} />
          <input
            ref={inputRef}
            type="text"
            role="combobox"
            aria-label="Search and filter events"
            aria-expanded={completion !== undefined}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={completion && active >= 0 ? `${id}-${active}` : undefined}
            aria-invalid={problem ? true : undefined}
            aria-describedby={problem ? `${id}-problem` : undefined}
            placeholder="Search or filter"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            enterkeyhint="search"
            value={text}
            onInput={event => {
              type(event.currentTarget.value);
              open();
            }}
            onKeyDown={onKeyDown}
            onKeyUp={onCaret}
            onClick={open}
            onFocus={() => {
              begin();
              seen.load();
              if (text === '') open();
            }}
            onBlur={() => {
              close();
              commit();
            }}
            onScroll={event => {
              if (mirror.current) mirror.current.scrollLeft = event.currentTarget.scrollLeft;
            }}
          />
        </div>
        {text ? (
          <IconButton
            icon="close"
            label="Clear search"
            onPointerDown={event => event.preventDefault()}
            onClick={() => replaceBy('')}
          />
        ) : (
          <kbd>/</kbd>
        )}
        <Suggestions id={id} completion={completion} active={active} onTake={take} />
      </search>
      {problem && !completion && (
        <FilterProblem id={`${id}-problem`} text={text} problem={problem} onCorrect={replaceBy} />
      )}
    </>
  );
}

/** -1 stands for the text itself, between the last suggestion and the first. */
const nextActive = (active: number, count: number, by: 1 | -1): number =>
  ((active + 1 + by + count + 1) % (count + 1)) - 1;
