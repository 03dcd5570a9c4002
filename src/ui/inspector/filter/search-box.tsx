/* The search box: its text is the filter of the list. Enter alone always searches. */

import type { RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';
import { IconButton } from '../../kit/controls.tsx';
import { Icon } from '../../kit/icons.tsx';
import { useKeyNotes } from '../../kit/use-hotkeys.ts';
import { focusList } from '../list/list-focus.ts';
import type { FilterChange } from './filter-control.ts';
import { FilterInput } from './filter-input.tsx';
import { FilterProblem } from './filter-problem.tsx';
import { withNearest } from './filter-text.ts';
import { useCompletion } from './use-completion.ts';
import { useFilterText } from './use-filter-text.ts';
import type { SeenSource } from './use-seen-values.ts';

type SearchBoxProps = {
  inputRef: RefObject<HTMLInputElement | null>;
  where: string;
  onFilter: (where: string, change: FilterChange) => void;
  seen: SeenSource;
};

export function SearchBox({ inputRef, where, onFilter, seen }: SearchBoxProps) {
  const id = useId();
  const [text, setText] = useState(where);
  const completion = useCompletion(inputRef, text, seen);
  const { type, commit, submit, problem, begin } = useFilterText({
    where,
    text,
    setText,
    onFilter,
    isChoosing: completion.completion?.isValue ?? false,
  });

  useKeyNotes({
    ArrowDown: 'In the search box: choose a suggestion',
    ArrowUp: 'In the search box: choose a suggestion',
    Tab: 'In the search box: complete the word',
    Escape: 'In the search box: go back to the list',
  });

  /** A step of its own in the browser's history. */
  const replaceBy = (next: string): void => {
    begin();
    commit(next);
  };
  /** What is typed after it is another step in the browser's history. */
  const search = (): void => {
    completion.close();
    submit((problem && withNearest(text, problem)) ?? text);
    begin();
  };
  const leave = (): void => {
    inputRef.current?.blur();
    focusList('');
  };

  return (
    <>
      <search class={`search grow ${problem ? 'wrong' : ''}`}>
        <FilterInput
          inputRef={inputRef}
          id={id}
          label="Search and filter events"
          placeholder="Search or filter"
          enterHint="search"
          text={text}
          problem={problem}
          completion={completion}
          onType={type}
          onTerm={commit}
          onEnter={search}
          onEscape={isChoosing => (!isChoosing || text === '') && leave()}
          onFocus={() => {
            begin();
            seen.load();
          }}
          onBlur={() => commit()}
          before={<Icon name="search" />}
          after={
            text ? (
              <IconButton
                icon="close"
                label="Clear search"
                onPointerDown={event => event.preventDefault()}
                onClick={() => replaceBy('')}
              />
            ) : (
              <kbd>/</kbd>
            )
          }
        />
      </search>
      {problem && !completion.completion && (
        <FilterProblem id={`${id}-problem`} text={text} problem={problem} onCorrect={replaceBy} />
      )}
    </>
  );
}
