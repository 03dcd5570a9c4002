/* A text field for a filter, a combobox (ARIA 1.2): Tab, or an arrow key and Enter, takes a suggestion; Enter alone submits. */

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { FilterError } from '../../../shared/filter/filter.ts';
import { cut, cutPath, visibleLine } from '../../kit/format/visible.ts';
import type { Completion, Suggestion } from './completion.ts';
import { MarkedText } from './filter-problem.tsx';
import type { OpenCompletion } from './use-completion.ts';

type FilterInputProps = {
  inputRef: RefObject<HTMLInputElement | null>;
  /** The input is `{id}-input`, the element that explains the problem `{id}-problem`. */
  id: string;
  /** Undefined: a `label` element names the input. */
  label?: string;
  placeholder: string;
  text: string;
  problem: FilterError | undefined;
  completion: OpenCompletion;
  onType: (text: string) => void;
  /** A suggestion has completed a term. */
  onTerm: (text: string) => void;
  onEnter: () => void;
  /** `isChoosing`: Escape has closed the suggestions. */
  onEscape: (isChoosing: boolean) => void;
  onFocus: () => void;
  onBlur: () => void;
  /** The action of Enter, for the line of keys: “search”. */
  enterHint: string;
  before?: ComponentChildren;
  after?: ComponentChildren;
};

export function FilterInput(props: FilterInputProps) {
  const { inputRef, id, label, placeholder, text, problem, before, after, enterHint, onType, onBlur, onFocus } = props;
  const { completion, active, open, close, onCaret } = props.completion;
  const mirror = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (mirror.current && inputRef.current) mirror.current.scrollLeft = inputRef.current.scrollLeft;
  });
  const take = takeOf(props);
  return (
    <>
      {before}
      <div class="anchor grow">
        <MarkedText mirror={mirror} text={text} problem={problem} />
        <input
          ref={inputRef}
          id={`${id}-input`}
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded={completion !== undefined}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={completion && active >= 0 ? `${id}-${active}` : undefined}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          placeholder={placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="search"
          value={text}
          onInput={event => {
            onType(event.currentTarget.value);
            open();
          }}
          onKeyDown={event => onKeyDown(event, props, take)}
          onKeyUp={onCaret}
          onClick={open}
          onFocus={() => {
            onFocus();
            if (text === '') open();
          }}
          onBlur={() => {
            close();
            onBlur();
          }}
          onScroll={event => {
            if (mirror.current) mirror.current.scrollLeft = event.currentTarget.scrollLeft;
          }}
        />
      </div>
      {after}
      <Suggestions id={id} completion={completion} active={active} enterHint={enterHint} onTake={take} />
    </>
  );
}

const takeOf =
  ({ text, completion: { completion, placeCaret, close }, onTerm, onType }: FilterInputProps) =>
  (suggestion: Suggestion): void => {
    if (!completion) return;
    const after = text.slice(completion.end);
    const space = suggestion.isWhole && !/^[\s)]/.test(after) ? ' ' : '';
    const head = text.slice(0, completion.start) + suggestion.text + space;
    placeCaret(head.length);
    if (suggestion.isWhole) close();
    if (suggestion.isWhole) onTerm(head + after);
    else onType(head + after);
  };

function onKeyDown(event: KeyboardEvent, props: FilterInputProps, take: (suggestion: Suggestion) => void): void {
  if (event.isComposing) return;
  const { completion, active, setActive, open, close } = props.completion;
  const chosen = completion?.suggestions[active];
  // Tab completes a word that was begun. In an empty place it moves on, as everywhere.
  const completed = chosen ?? (completion?.prefix ? completion.suggestions[0] : undefined);
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    if (!completion) open();
    else setActive(nextActive(active, completion.suggestions.length, event.key === 'ArrowDown' ? 1 : -1));
  } else if (event.key === 'Enter') {
    if (chosen) take(chosen);
    else props.onEnter();
  } else if (event.key === 'Tab' && !event.shiftKey && completed) take(completed);
  else if (event.key === 'Escape') {
    close();
    props.onEscape(completion !== undefined);
  } else return;
  event.preventDefault();
}

/** -1 is the text itself, between the last suggestion and the first. */
const nextActive = (active: number, count: number, by: 1 | -1): number =>
  ((active + 1 + by + count + 1) % (count + 1)) - 1;

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

function Suggestions({ id, completion, active, enterHint, onTake }: SuggestionsProps) {
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
            <code class="rigid cut">
              {visibleLine(
                suggestion.isWhole
                  ? cut(suggestion.text, maxShownCharacters)
                  : cutPath(suggestion.text, maxFieldCharacters),
              )}
            </code>
            {suggestion.hint && (
              <span class="suggestion-hint grow faint">{visibleLine(cut(suggestion.hint, maxShownCharacters))}</span>
            )}
          </div>
        ))}
      </div>
      <p class="suggestions-keys line tight faint small" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Tab</kbd> complete <kbd>Enter</kbd> {enterHint}
      </p>
    </div>
  );
}
