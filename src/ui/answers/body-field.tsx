/* The body of an answer, with buttons that insert placeholders at the caret. */

import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { unknownPlaceholders } from '../../shared/placeholders.ts';
import { Button, Segmented } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import type { Input } from '../kit/schema.ts';
import { type Example, type Placeholder, placeholdersFor } from './placeholders.ts';

type Encoding = 'utf8' | 'base64';

const encodings: { id: Encoding; label: string }[] = [
  { id: 'utf8', label: 'Text' },
  { id: 'base64', label: 'Base64' },
];

type BodyFieldProps = {
  body: Input<string>;
  /** Whether it is base64. */
  encoding: Input<boolean>;
  example: Example | undefined;
};

export function BodyField({ body, encoding, example }: BodyFieldProps) {
  const { value: text, problem } = body;
  const isBase64 = encoding.value;
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
    body.change(text.slice(0, at) + inserted + text.slice(end));
  };
  const unknown = isBase64 ? [] : unknownPlaceholders(text);
  return (
    <div class="field col tight">
      <div class="panel-bar row tight rigid">
        <label for={id} class="grow">
          Body
        </label>
        <Segmented
          label="Encoding of the body"
          options={encodings}
          value={isBase64 ? 'base64' : 'utf8'}
          onPick={picked => encoding.change(picked === 'base64')}
        />
      </div>
      <textarea
        ref={area}
        id={id}
        rows={5}
        spellcheck={false}
        autocomplete="off"
        placeholder={isBase64 ? '' : 'empty'}
        value={text}
        aria-describedby={`${id}-hint`}
        aria-invalid={problem ? true : undefined}
        onInput={event => body.change(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class={problem ? 'hint bad' : 'hint'}>
        {problem ||
          (isBase64
            ? 'Sent as is. Placeholders work only in text bodies.'
            : unknown.length > 0
              ? `Unknown placeholder, sent as text: ${unknown.slice(0, 3).map(visibleLine).join(', ')}`
              : 'Placeholders are replaced once; a missing value becomes empty. Values are JSON-escaped if Content-Type is JSON.')}
      </p>
      {!isBase64 && (
        <ul class="placeholders row" aria-label="Insert a placeholder">
          {placeholdersFor(example).map(one => (
            <li key={one.title} class="row tight">
              <Button kind="quiet" title={`Insert ${visibleLine(one.text)}: ${one.title}`} onClick={() => insert(one)}>
                <code class="cut">{visibleLine(one.text)}</code>
              </Button>
              <span class="faint small">{one.title}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="hint">
        Responses never set cookies and carry a policy that stops browsers from running scripts in them.
      </p>
    </div>
  );
}
