/* A labelled choice of one of a few options. */

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type SelectFieldProps<T extends string> = {
  label: string;
  options: readonly { id: T; label: string }[];
  value: T;
  onPick: (id: T) => void;
  hint?: ComponentChildren;
  problem?: string;
};

export function SelectField<T extends string>({ label, options, value, onPick, hint, problem }: SelectFieldProps<T>) {
  const id = useId();
  return (
    <div class="field select-field col tight">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        aria-invalid={problem ? true : undefined}
        onChange={event => {
          const picked = options.find(option => option.id === event.currentTarget.value);
          if (picked) onPick(picked.id);
        }}
      >
        {options.map(option => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
      {(hint || problem) && (
        <p id={`${id}-hint`} class={problem ? 'hint bad' : 'hint'}>
          {problem || hint}
        </p>
      )}
    </div>
  );
}
