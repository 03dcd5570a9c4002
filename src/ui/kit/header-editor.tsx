/* A list of headers to edit: one row with name and value for each, and a button that adds one. */
import type { ComponentChildren } from 'preact';
import { Button, IconButton } from './controls.tsx';

type Header = readonly [name: string, value: string];

type Props = {
  headers: readonly Header[];
  /** A value as it is shown in its field. */
  textOf?: (value: string) => string;
  /** Marks the names as invalid. */
  isInvalid?: boolean;
  onChange: (headers: Header[]) => void;
  /** Further buttons. */
  buttons?: ComponentChildren;
  /** Shown below the buttons. */
  children?: ComponentChildren;
};

export function HeaderEditor({
  headers,
  textOf = value => value,
  isInvalid = false,
  onChange,
  buttons,
  children,
}: Props) {
  const change = (at: number, header: Header): void =>
    onChange(headers.map((one, index) => (index === at ? header : one)));
  return (
    <fieldset class="col">
      <legend>Headers</legend>
      {headers.map(([name, value], at) => (
        <div key={at} class="header-row">
          <input
            aria-label={`Name of header ${at + 1}`}
            value={name}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={isInvalid || undefined}
            onInput={typed => change(at, [typed.currentTarget.value, value])}
          />
          <input
            aria-label={`Value of ${name || `header ${at + 1}`}`}
            value={textOf(value)}
            spellcheck={false}
            autocomplete="off"
            onInput={typed => change(at, [name, typed.currentTarget.value])}
          />
          <IconButton
            icon="close"
            label={`Remove ${name || `header ${at + 1}`}`}
            onClick={() => onChange(headers.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div class="row">
        <Button kind="quiet" onClick={() => onChange([...headers, ['', '']])}>
          Add a header
        </Button>
        {buttons}
      </div>
      {children}
    </fieldset>
  );
}
