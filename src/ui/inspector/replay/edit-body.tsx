/* The body and the headers of a replay, to be changed before it is sent. */

import { useId, useMemo, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { Button } from '../../kit/controls.tsx';
import { headerText } from '../../kit/format/visible.ts';
import { HeaderEditor } from '../../kit/header-editor.tsx';
import type { Input } from '../../kit/schema.ts';
import { LineDifferences } from '../compare/differences.tsx';
import { bodyProblem, bodyToEdit, describeEdit, editableBody } from './changes.ts';
import type { ReplayForm } from './use-replay-form.tsx';

export function EditSection({ event, form }: { event: EventDetail; form: ReplayForm }) {
  const changed = describeEdit(form.edit);
  const { value, problem, change } = form.input('edit.headers');
  return (
    <details class="drawer">
      <summary>
        Body and headers <span class="faint">{changed ? `changed: ${changed}` : 'as captured'}</span>
      </summary>
      <div class="col loose">
        <BodyEditor event={event} input={form.input('edit.body')} />
        <HeaderEditor headers={value} textOf={headerText} isInvalid={problem !== ''} onChange={change}>
          {problem && (
            <p class="hint bad" role="alert">
              {problem}
            </p>
          )}
        </HeaderEditor>
        {form.edit && (
          <div class="row">
            <Button kind="quiet" onClick={form.undoEdit}>
              Undo all changes
            </Button>
          </div>
        )}
      </div>
    </details>
  );
}

function BodyEditor({ event, input }: { event: EventDetail; input: Input<string> }) {
  const id = useId();
  const original = useMemo(() => bodyToEdit(event), [event]);
  const [isDiffShown, setIsDiffShown] = useState(false);
  if (original === undefined)
    return (
      <p class="faint">
        {editableBody(event) === undefined
          ? 'Binary body, sent as captured.'
          : 'The body is too large to edit here. Use hooktape send with --set or --body.'}
      </p>
    );
  const text = input.value;
  const isChanged = text !== original;
  const problem = input.problem || (isChanged ? bodyProblem(original, text) : '');
  return (
    <div class="field col tight">
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
        onInput={typed => input.change(typed.currentTarget.value)}
      />
      <p id={`${id}-problem`} class={problem ? 'hint bad' : 'hint'} aria-live="polite">
        {problem || (isChanged ? 'Content-Length and digests are updated.' : '')}
      </p>
      {isChanged && isDiffShown && <LineDifferences left={original} right={text} />}
    </div>
  );
}
