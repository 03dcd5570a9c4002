/* The form that makes a forward, or changes one. Problems that the server finds stand at their fields. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { Forward } from '../../features/forwards/model.ts';
import { useSeen } from '../inspector/filter/use-seen.ts';
import { Button, Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { RestoredNotice } from '../kit/restored-notice.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useDraft } from '../kit/use-draft.ts';
import { useQuery } from '../kit/use-query.ts';
import { useTitle } from '../kit/use-title.ts';
import {
  draftOf,
  emptyDraft,
  type ForwardDraft,
  hasMore,
  problemOfError,
  problemsOf,
  requestOf,
  type ServerProblem,
} from './forward-draft.ts';
import { MainFields, MoreFields } from './forward-fields.tsx';
import { forwardPath, forwardsApi, forwardsPath } from './forwards-api.ts';

/** @param id of the forward that is changed; undefined for a new one */
export function ForwardFormPage({ endpoint, id }: { endpoint: Pick<Endpoint, 'id' | 'name'>; id?: string }) {
  const { value: forward, problem } = useQuery(id ?? '', () =>
    id === undefined ? Promise.resolve(undefined) : forwardsApi.forward(endpoint.id, id),
  );
  useTitle(id === undefined ? 'New forward' : forward ? `${visibleName(forward.name)}, edit` : 'Forward');
  const back = id === undefined ? forwardsPath(endpoint.id) : forwardPath(endpoint.id, id);
  return (
    <main class="page narrow forwards">
      <header class="page-head">
        <div>
          <Link to={back} class="crumb">
            ← {forward ? visibleName(forward.name) : `Forwards of ${visibleName(endpoint.name)}`}
          </Link>
          <h1>{id === undefined ? 'New forward' : 'Edit the forward'}</h1>
        </div>
      </header>
      {problem && <Empty title="Couldn't load this forward">{problem}</Empty>}
      {id !== undefined && !forward && !problem && <Skeleton rows={3} kind="card" />}
      {(id === undefined || forward) && <Form endpointId={endpoint.id} forward={forward} back={back} />}
    </main>
  );
}

type FormProps = { endpointId: string; forward: Forward | undefined; back: string };

function Form({ endpointId, forward, back }: FormProps) {
  const name = `forward.${endpointId}.${forward?.id ?? 'new'}`;
  const { draft, setDraft, restored, discard, forget } = useDraft<ForwardDraft>(name, () =>
    forward ? draftOf(forward) : emptyDraft,
  );
  const [isSent, setIsSent] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<ServerProblem>();
  const [isOpen, setIsOpen] = useState((forward !== undefined || restored !== 'no') && hasMore(draft));
  const seen = useSeen(endpointId);
  const form = useRef<HTMLFormElement>(null);
  const toProblem = useProblemFocus(form);
  const own = problemsOf(draft, isSent);
  const problems = { ...(refusal?.field && { [refusal.field]: refusal.message }), ...own };
  const change = (changed: Partial<ForwardDraft>): void => {
    setDraft(old => ({ ...old, ...changed }));
    setRefusal(undefined);
  };
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setIsSent(true);
    if (Object.keys(problemsOf(draft, true)).length > 0) {
      setIsOpen(true);
      return toProblem();
    }
    setIsBusy(true);
    try {
      const request = requestOf(draft);
      const { id, name } = forward
        ? await forwardsApi.change(endpointId, forward.id, request)
        : await forwardsApi.create(endpointId, request);
      forget();
      navigate(forwardPath(endpointId, id));
      showToast(forward ? `${visibleName(name)} was saved.` : `${visibleName(name)} begins with the next event.`);
    } catch (error) {
      setRefusal(problemOfError(error));
      setIsOpen(true);
      setIsBusy(false);
      toProblem();
    }
  };
  const fields = { draft, problems, change };
  return (
    <form class="card section forward-form" ref={form} noValidate onSubmit={save}>
      <RestoredNotice restored={restored} what="forward" onDiscard={discard} />
      <MainFields {...fields} seen={seen} refusal={refusal?.filter} />
      <details open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
        <summary>More options</summary>
        <MoreFields {...fields} />
      </details>
      {forward && (
        <p class="hint">
          What waits goes to the new URL with the new headers. A new filter or order applies to events from now on.
        </p>
      )}
      {refusal && !refusal.field && (
        <Notice tone="bad" title="The forward wasn't saved">
          {refusal.message}
        </Notice>
      )}
      <div class="dialog-actions">
        <Link class="button plain" to={back} onClick={forget}>
          Cancel
        </Link>
        <Button type="submit" kind="primary" busy={isBusy}>
          {forward ? 'Save' : 'Create the forward'}
        </Button>
      </div>
    </form>
  );
}

/** Puts the focus on the first wrong field, once it is shown. */
function useProblemFocus(form: { current: HTMLFormElement | null }): () => void {
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (asked === 0) return;
    const frame = requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
    return () => cancelAnimationFrame(frame);
  }, [asked]);
  return () => setAsked(n => n + 1);
}
