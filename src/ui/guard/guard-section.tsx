/* The section of an endpoint's settings for its guard. Stored passwords and tokens are never shown. */

import { useMemo, useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { parseCidr } from '../../shared/addresses.ts';
import { api } from '../kit/api.ts';
import { Button, Notice } from '../kit/controls.tsx';
import { SelectField } from '../kit/select-field.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';
import { BasicFields, TokenFields } from './credential-fields.tsx';
import { draftOf, type Guard, type GuardDraft, guardOf, networksOf, problemOfError } from './draft.ts';
import { MethodFields, NetworkFields } from './origin-fields.tsx';
import { otherThan, useRefused } from './use-refused.ts';

const reactions: readonly { id: Guard['onRefuse']; label: string }[] = [
  { id: 'record', label: 'stored, and marked as refused' },
  { id: 'drop', label: 'not stored' },
];

export function GuardSection({ endpoint }: { endpoint: Endpoint }) {
  const { draft, change, problems, problem, isDirty, isBusy, save, guard } = useGuardDraft(endpoint);
  const networks = networksOf(draft);
  const areNetworks = networks.every(one => parseCidr(one));
  const byNetwork = useRefused(
    endpoint.id,
    areNetworks ? otherThan('ip', networks) : undefined,
    'came from other networks',
  );
  const byMethod = useRefused(endpoint.id, otherThan('method', draft.methods), 'had other methods');
  const submit = (event: Event): void => {
    event.preventDefault();
    void save(guard);
  };
  return (
    <section class="card section" id="guard">
      <h2>Guard</h2>
      <p class="lead">
        The requests that this endpoint accepts. All conditions that you set must hold. Other requests are refused: 403
        for the network, 405 for the method, 401 for the credentials.
      </p>
      <form class="guard-form" onSubmit={submit} noValidate>
        <NetworkFields draft={draft} problems={problems} change={change} warning={byNetwork} />
        <MethodFields draft={draft} problems={problems} change={change} warning={byMethod} />
        <BasicFields draft={draft} problems={problems} change={change} />
        <TokenFields draft={draft} problems={problems} change={change} url={endpoint.url} />
        <SelectField
          label="Refused requests are"
          options={reactions}
          value={draft.onRefuse}
          onPick={onRefuse => change({ onRefuse })}
        />
        {draft.onRefuse === 'drop' && guard && (
          <p class="hint">You will not see refused requests, not even if a platform is refused by mistake.</p>
        )}
        {problem && <Notice tone="bad">{problem}</Notice>}
        <div class="button-row">
          <Button type="submit" busy={isBusy} disabled={!isDirty}>
            Save guard
          </Button>
          {endpoint.guard && (
            <Button kind="danger" disabled={isBusy} onClick={() => save(null)}>
              Remove guard
            </Button>
          )}
        </div>
      </form>
    </section>
  );
}

function useGuardDraft(endpoint: Endpoint) {
  const { reloadEndpoints, endpoints, setEndpoints } = useWorkspace();
  const saved = useMemo(() => draftOf(endpoint.guard), [JSON.stringify(endpoint.guard)]);
  const [changes, setChanges] = useState<Partial<GuardDraft>>({});
  const [refusal, setRefusal] = useState<ReturnType<typeof problemOfError>>({ problems: {}, message: '' });
  const [isTried, setIsTried] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const draft = { ...saved, ...changes };
  const read = guardOf(draft);
  const save = async (guard: Guard | null): Promise<void> => {
    setIsTried(true);
    if (guard && Object.keys(read.problems).length > 0) return;
    setIsBusy(true);
    try {
      const { guard: shown = null } = await api.setGuard(endpoint.id, guard);
      setEndpoints((endpoints ?? []).map(one => (one.id === endpoint.id ? { ...one, guard: shown } : one)));
      reloadEndpoints();
      setChanges({});
      setIsTried(false);
      setRefusal({ problems: {}, message: '' });
      showToast(guard ? 'Guard saved. It applies from the next request.' : 'The endpoint accepts all requests.');
    } catch (error) {
      setRefusal(problemOfError(error instanceof Error ? error.message : String(error)));
    }
    setIsBusy(false);
  };
  return {
    draft,
    change: (change: Partial<GuardDraft>) => {
      setRefusal({ problems: {}, message: '' });
      setChanges(old => ({ ...old, ...change }));
    },
    guard: read.guard,
    /** An empty field shows no problem until its author saves. */
    problems: {
      ...(isTried ? read.problems : { ...(read.problems.networks && { networks: read.problems.networks }) }),
      ...refusal.problems,
    },
    problem: refusal.message,
    isDirty: JSON.stringify(draft) !== JSON.stringify(saved),
    isBusy,
    save,
  };
}
