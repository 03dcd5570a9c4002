/* A filter as a field of a form, such as the condition of a rule: completed and checked as in the search box. */

import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { FilterError } from '../../../shared/filter/filter.ts';
import { ApiError } from '../../kit/api.ts';
import type { FormField, Input } from '../../kit/schema.ts';
import { FilterInput } from './filter-input.tsx';
import { FilterProblem } from './filter-problem.tsx';
import { problemIn, withNearest } from './filter-text.ts';
import { useCompletion } from './use-completion.ts';
import type { SeenSource } from './use-seen-values.ts';

const settleDelayMs = 1200;

/** Fields that a delivery does not have yet when it is answered. They are not suggested. */
const unknownBeforeAnswer = ['attempt', 'answered', 'tag', 'is'];

/** In the schema of a form; it is shown by FilterField. Without a filter, the value is null. */
export const filterText = {
  from: where => where ?? '',
  to: text => text.trim() || null,
  problem: text => problemIn(text)?.message,
} satisfies FormField<string, string | null>;

type FilterFieldProps = {
  label: string;
  input: Input<string>;
  /** What the server found wrong, if anything: a problem with a filter has its position. */
  error?: unknown;
  seen: SeenSource;
  placeholder?: string;
  without?: readonly string[];
  onEscape?: () => void;
};

export function FilterField(props: FilterFieldProps) {
  const { label, input, error, seen, placeholder = 'every delivery', without = unknownBeforeAnswer } = props;
  const text = input.value;
  const onText = (next: string): void => input.change(next);
  const refusal = input.problem === '' ? undefined : filterErrorOf(error);
  const id = useId();
  const inputRef = useRef<HTMLInputElement>(null);
  const completion = useCompletion(inputRef, text, seen, without);
  const [isSettled, setIsSettled] = useState(true);
  const wrong = useMemo(() => problemIn(text), [text]);
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
    <div class="field filter-field col tight">
      <label for={`${id}-input`}>{label}</label>
      <div class={`search grow ${problem ? 'wrong' : ''}`}>
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
      {input.problem !== '' && !wrong && !refusal && <p class="hint bad">{input.problem}</p>}
      {problem && !isChoosing ? (
        <FilterProblem id={`${id}-problem`} text={text} problem={problem} onCorrect={correct} />
      ) : (
        <p class="hint">Same syntax as the search box: type:invoice.* or body.amount&gt;1000</p>
      )}
    </div>
  );
}

function filterErrorOf(error: unknown): FilterError | undefined {
  if (error instanceof FilterError) return error;
  if (!(error instanceof ApiError) || typeof error.body['position'] !== 'number') return undefined;
  const { position, nearest } = error.body;
  return new FilterError(
    error.problems[0]?.message ?? error.message,
    position,
    typeof nearest === 'string' ? nearest : null,
  );
}
