/* A labelled choice of one of a few options. */

import { useId } from 'preact/hooks';

type SelectFieldProps<T extends string> = {
  label: string;
  options: readonly { id: T; label: string }[];
  value: T;
  onPick: (id: T) => void;
};

export function SelectField<T extends string>({ label, options, value, onPick }: SelectFieldProps<T>) {
  const id = useId();
  return (
    <div class="field select-field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
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
    </div>
  );
}
