/* The body of an answer, with buttons that insert placeholders at the caret. */

import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button, Segmented } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import type { RuleDraft, RuleProblems } from './draft.ts';
import { type Example, type Placeholder, placeholdersFor, unknownPlaceholders } from './placeholders.ts';

export type FieldsProps = {
  draft: RuleDraft;
  problems: RuleProblems;
  onChange: (change: Partial<RuleDraft>) => void;
};

type Encoding = 'utf8' | 'base64';

const encodings: { id: Encoding; label: string }[] = [
  { id: 'utf8', label: 'Text' },
  { id: 'base64', label: 'Base64' },
];

export function BodyField({ draft, problems, onChange, example }: FieldsProps & { example: Example | undefined }) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const selection = useRef<readonly [number, number] | undefined>(undefined);
  // After the text is rendered: the inserted name is selected, so that typing replaces it.
  useLayoutEffect(() => {
    if (!selection.current || !area.current) return;
    area.current.focus();
    area.current.setSelectionRange(...selection.current);
    selection.current = undefined;
  }, [draft.body]);
  const insert = ({ text, name }: Placeholder): void => {
    const at = area.current?.selectionStart ?? draft.body.length;
    const end = area.current?.selectionEnd ?? at;
    const nameAt = at + text.indexOf(name, 2);
    selection.current = name === '' ? [at + text.length, at + text.length] : [nameAt, nameAt + name.length];
    onChange({ body: draft.body.slice(0, at) + text + draft.body.slice(end) });
  };
  const unknown = draft.isBase64 ? [] : unknownPlaceholders(draft.body);
  return (
    <div class="field">
      <div class="panel-bar row tight rigid">
        <label for={id} class="grow">
          Body
        </label>
        <Segmented
          label="Encoding of the body"
          options={encodings}
          value={draft.isBase64 ? 'base64' : 'utf8'}
          onPick={encoding => onChange({ isBase64: encoding === 'base64' })}
        />
      </div>
      <textarea
        ref={area}
        id={id}
        rows={5}
        spellcheck={false}
        autocomplete="off"
        placeholder={draft.isBase64 ? '' : 'empty'}
        value={draft.body}
        aria-describedby={`${id}-hint`}
        aria-invalid={problems.body ? true : undefined}
        onInput={event => onChange({ body: event.currentTarget.value })}
      />
      <p id={`${id}-hint`} class={problems.body ? 'hint bad' : 'hint'}>
        {problems.body ||
          (draft.isBase64
            ? 'These bytes are sent as they are, without placeholders.'
            : unknown.length > 0
              ? `Unknown placeholder, sent as it is: ${unknown.slice(0, 3).map(visibleLine).join(', ')}`
              : 'Placeholders are filled in once, and a missing value is empty. Values are JSON-escaped when the Content-Type is JSON.')}
      </p>
      {!draft.isBase64 && (
        <ul class="placeholders" aria-label="Insert a placeholder">
          {placeholdersFor(example).map(one => (
            <li key={one.title}>
              <Button kind="quiet" title={`Insert ${visibleLine(one.text)}: ${one.title}`} onClick={() => insert(one)}>
                <code>{visibleLine(one.text)}</code>
              </Button>
              <span class="faint">{one.title}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="hint">
        Browsers run no scripts from an answer: it carries a policy that blocks them, and never a cookie.
      </p>
    </div>
  );
}
