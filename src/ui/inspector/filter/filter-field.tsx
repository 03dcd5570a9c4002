/* A filter as a field of a form, such as the condition of a rule: completed and checked as in the search box. */

import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { FilterError } from '../../../shared/filter/filter.ts';
import { FilterInput } from './filter-input.tsx';
import { FilterProblem } from './filter-problem.tsx';
import { parse, withNearest } from './filter-text.ts';
import { useCompletion } from './use-completion.ts';
import type { SeenSource } from './use-seen-values.ts';

/** No problem is shown while the text is being typed. */
const settleDelayMs = 1200;

/** Fields that a delivery does not have yet when it is answered. They are not suggested. */
const unknownBeforeAnswer = ['attempt', 'answered', 'tag', 'is'];

type FilterFieldProps = {
  label: string;
  text: string;
  seen: SeenSource;
  /** A problem that the server found. */
  refusal: FilterError | undefined;
  placeholder?: string;
  /** Fields that are not suggested. */
  without?: readonly string[];
  onText: (text: string) => void;
  /** Escape, while no suggestions are open. */
  onEscape?: () => void;
};

export function FilterField(props: FilterFieldProps) {
  const { label, text, seen, refusal, placeholder = 'every delivery', without = unknownBeforeAnswer, onText } = props;
  const id = useId();
  const inputRef = useRef<HTMLInputElement>(null);
  const completion = useCompletion(inputRef, text, seen, without);
  const [isSettled, setIsSettled] = useState(true);
  const wrong = useMemo(() => {
    const parsed = parse(text);
    return parsed instanceof FilterError ? parsed : undefined;
  }, [text]);
  const isChoosing = completion.completion !== undefined;
  useEffect(() => {
    if (isSettled || isChoosing) return;
    const timer = setTimeout(setIsSettled, settleDelayMs, true);
    return () => clearTimeout(timer);
  }, [text, isSettled, isChoosing]);
  const problem = isSettled ? (wrong ?? refusal) : undefined;
  const type = (next: string): void => {
    setIsSettled(false);
    onText(next);
  };
  const correct = (next: string): void => {
    setIsSettled(true);
    onText(next);
    inputRef.current?.focus();
  };
  return (
    <div class="field filter-field">
      <label for={`${id}-input`}>{label}</label>
      <div class={`search ${problem ? 'wrong' : ''}`}>
        <FilterInput
          inputRef={inputRef}
          id={id}
          placeholder={placeholder}
          enterHint="done"
          text={text}
          problem={problem}
          completion={completion}
          onType={type}
          onTerm={type}
          onEnter={() => {
            completion.close();
            setIsSettled(true);
            const nearest = problem && withNearest(text, problem);
            if (nearest !== undefined) onText(nearest);
          }}
          onEscape={isChoosing => !isChoosing && props.onEscape?.()}
          onFocus={seen.load}
          onBlur={() => setIsSettled(true)}
        />
      </div>
      {problem && !isChoosing ? (
        <FilterProblem id={`${id}-problem`} text={text} problem={problem} onCorrect={correct} />
      ) : (
        <p class="hint">A filter, as in the search box: type:invoice.* or body.amount&gt;1000.</p>
      )}
    </div>
  );
}
