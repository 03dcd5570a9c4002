/* The body and the headers of a replay, to be changed before it is sent. */

import { useId, useMemo, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { Button } from '../../kit/controls.tsx';
import { HeaderEditor } from '../../kit/fields.tsx';
import { headerText } from '../../kit/format/visible.ts';
import { onDemand } from '../../kit/on-demand.tsx';
import type { Input } from '../../kit/schema.ts';
import { bodyProblem, bodyToEdit, editableBody, sentHeaders } from './changes.ts';
import type { ReplayForm } from './use-replay-form.tsx';

const LineDifferences = onDemand(() => import('../compare/differences.tsx').then(part => part.LineDifferences));

export function EditSection({ event, form }: { event: EventDetail; form: ReplayForm }) {
  const { value, problem, change } = form.input('edit.headers');
  const changedCount = form.edit?.headers?.length ?? 0;
  return (
    <>
      <details class="drawer">
        <summary>
          Body <span class="faint">{form.edit?.body === undefined ? 'as captured' : 'changed'}</span>
        </summary>
        <BodyEditor event={event} input={form.input('edit.body')} />
      </details>
      <details class="drawer">
        <summary>
          Headers <span class="faint">{changedCount === 0 ? 'as captured' : `${changedCount} changed`}</span>
        </summary>
        <HeaderEditor
          headers={value}
          textOf={headerText}
          isInvalid={problem !== ''}
          onChange={change}
          buttons={changedCount > 0 && <UndoButton onClick={() => change(sentHeaders(event.rawHeaders))} />}
        >
          {problem && (
            <p class="hint bad" role="alert">
              {problem}
            </p>
          )}
        </HeaderEditor>
      </details>
    </>
  );
}

const UndoButton = ({ onClick }: { onClick: () => void }) => (
  <Button kind="quiet" onClick={onClick}>
    Undo changes
  </Button>
);

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
      <div class="row tight">
        <label for={id} class="grow">
          Body
        </label>
        {isChanged && (
          <>
            <UndoButton onClick={() => input.change(original)} />
            <Button kind="quiet" aria-expanded={isDiffShown} onClick={() => setIsDiffShown(!isDiffShown)}>
              {isDiffShown ? 'Hide changes' : 'Show changes'}
            </Button>
          </>
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
