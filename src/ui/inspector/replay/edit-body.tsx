/* The body and the headers of a replay, to be changed before it is sent. */

import { useId, useMemo, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { Button } from '../../kit/controls.tsx';
import { headerText } from '../../kit/format/visible.ts';
import { HeaderEditor } from '../../kit/header-editor.tsx';
import { LineDifferences } from '../compare/differences.tsx';
import { bodyProblem, type Draft, describeEdit, type Edit, editableBody } from './changes.ts';

/** Larger bodies would make the text area slow. */
const maxEditableChars = 512 << 10;

type EditProps = {
  event: EventDetail;
  draft: Draft;
  edit: Edit | undefined;
  onChange: (draft: Draft) => void;
  onReset: () => void;
};

export function EditSection({ event, draft, edit, onChange, onReset }: EditProps) {
  const changed = describeEdit(edit);
  return (
    <details class="drawer">
      <summary>
        Body and headers <span class="faint">{changed ? `changed: ${changed}` : 'as captured'}</span>
      </summary>
      <div class="col loose">
        <BodyEditor event={event} draft={draft} onChange={onChange} />
        <HeaderEditor
          headers={draft.headers}
          textOf={headerText}
          onChange={headers => onChange({ ...draft, headers })}
        />
        {edit && (
          <div class="button-row">
            <Button kind="quiet" onClick={onReset}>
              Undo all changes
            </Button>
          </div>
        )}
      </div>
    </details>
  );
}

function BodyEditor({ event, draft, onChange }: Pick<EditProps, 'event' | 'draft' | 'onChange'>) {
  const id = useId();
  const original = useMemo(() => editableBody(event), [event]);
  const [isDiffShown, setIsDiffShown] = useState(false);
  if (original === undefined) return <p class="faint">The body is binary. It is sent as captured.</p>;
  if (original.length > maxEditableChars)
    return <p class="faint">The body is too large to edit here. Use hooktape send with --set or --body.</p>;
  const text = draft.body ?? original;
  const isChanged = text !== original;
  const problem = isChanged ? bodyProblem(original, text) : '';
  return (
    <div class="field">
      <div class="panel-bar row tight rigid">
        <label for={id} class="grow">
          Body
        </label>
        {isChanged && (
          <Button kind="quiet" aria-expanded={isDiffShown} onClick={() => setIsDiffShown(!isDiffShown)}>
            {isDiffShown ? 'Hide changes' : 'Show changes'}
          </Button>
        )}
      </div>
      <textarea
        id={id}
        rows={10}
        spellcheck={false}
        autocomplete="off"
        value={text}
        aria-describedby={`${id}-problem`}
        aria-invalid={problem ? true : undefined}
        onInput={typed => onChange({ ...draft, body: typed.currentTarget.value })}
      />
      <p id={`${id}-problem`} class={problem ? 'hint bad' : 'hint'} aria-live="polite">
        {problem || (isChanged ? 'Content-Length and digests follow.' : '')}
      </p>
      {isChanged && isDiffShown && <LineDifferences left={original} right={text} />}
    </div>
  );
}
