/* A text of several lines with buttons that insert placeholders at the caret. */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';
import { visibleLine } from './format/visible.ts';
import type { Input } from './schema.ts';

export type Placeholder = {
  text: string;
  /** The part to be replaced by another name; empty for none. */
  name: string;
  title: string;
};

type TemplateFieldProps = {
  label: string;
  aside?: ComponentChildren;
  input: Input<string>;
  rows: number;
  placeholder: string;
  hint: ComponentChildren;
  placeholders: readonly Placeholder[];
};

export function TemplateField({ label, aside, input, rows, placeholder, hint, placeholders }: TemplateFieldProps) {
  const { value: text, problem } = input;
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const selection = useRef<readonly [number, number] | undefined>(undefined);
  // After the text is rendered: the inserted name is selected, so that typing replaces it.
  useLayoutEffect(() => {
    if (!selection.current || !area.current) return;
    area.current.focus();
    area.current.setSelectionRange(...selection.current);
    selection.current = undefined;
  }, [text]);
  const insert = ({ text: inserted, name }: Placeholder): void => {
    const at = area.current?.selectionStart ?? text.length;
    const end = area.current?.selectionEnd ?? at;
    const nameAt = at + inserted.indexOf(name, 2);
    selection.current = name === '' ? [at + inserted.length, at + inserted.length] : [nameAt, nameAt + name.length];
    input.change(text.slice(0, at) + inserted + text.slice(end));
  };
  return (
    <div class="field col tight">
      <div class="panel-bar row tight rigid">
        <label for={id} class="grow">
          {label}
        </label>
        {aside}
      </div>
      <textarea
        ref={area}
        id={id}
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder}
        value={text}
        aria-describedby={`${id}-hint`}
        aria-invalid={problem ? true : undefined}
        onInput={event => input.change(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class={problem ? 'hint bad' : 'hint'}>
        {problem || hint}
      </p>
      {placeholders.length > 0 && (
        <ul class="placeholders row" aria-label="Insert a placeholder">
          {placeholders.map(one => (
            <li key={one.text} class="row tight">
              <Button kind="quiet" title={`Insert ${visibleLine(one.text)}: ${one.title}`} onClick={() => insert(one)}>
                <code class="cut">{visibleLine(one.text)}</code>
              </Button>
              <span class="faint small">{one.title}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
