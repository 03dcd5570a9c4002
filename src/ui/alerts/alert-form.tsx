/* The form of an alert: what it watches, and whom it tells. Only the settings that its kind and its channel take. */

import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../features/alerts/model.ts';
import { FilterError } from '../../shared/filter/filter.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import { parse } from '../inspector/filter/filter-text.ts';
import { useSeen } from '../inspector/filter/use-seen.ts';
import { Button, Field, Notice } from '../kit/controls.tsx';
import { keptDraft } from '../kit/draft-store.ts';
import { visibleName } from '../kit/format/visible.ts';
import { RestoredNotice } from '../kit/restored-notice.tsx';
import { SelectField } from '../kit/select-field.tsx';
import { useDraft } from '../kit/use-draft.ts';
import { ConditionSentence } from './alert-state.tsx';
import { alertsApi } from './alerts-api.ts';
import { ChannelFields } from './channel-fields.tsx';
import {
  type AlertDraft,
  changeOf,
  conditionOf,
  type DraftProblems,
  draftOf,
  newDraft,
  type PartProps,
  problemOfError,
  problemsOf,
  requestOf,
  type ServerProblem,
  takes,
  withKind,
} from './draft.ts';
import { isReporting, type Kind, kindOf, kinds, type Unit } from './wording.ts';

type AlertFormProps = {
  endpointId: string;
  canEmail: boolean;
  /** To change. Without: a new one. */
  alert?: Alert;
  /** To begin with. */
  kind?: Kind;
  onSaved: (alert: Alert) => void;
  onCancel: () => void;
};

export function AlertForm(props: AlertFormProps) {
  const { endpointId, canEmail, alert } = props;
  const titleId = useId();
  const { form, draft, problems, refused, isBusy, change, save, cancel, restored, discard } = useForm(props);
  const seen = useSeen(endpointId);
  const fields = { draft, problems, change };
  return (
    <form class="card alert-form" aria-labelledby={titleId} ref={form} noValidate onSubmit={save}>
      <h2 id={titleId}>{alert ? `Edit ${visibleName(alert.name)}` : 'New alert'}</h2>
      <RestoredNotice restored={restored} what="alert" onDiscard={discard} />
      {alert ? (
        <p class="lead">
          {kindOf(alert.kind)?.title}: {kindOf(alert.kind)?.sentence}
        </p>
      ) : (
        <KindFields kind={draft.kind} onPick={kind => change(withKind(draft, kind))} />
      )}
      <fieldset class="alert-part">
        <legend>When</legend>
        <NumberFields {...fields} />
        {takes.where(draft.kind) && (
          <FilterField
            label={draft.kind === 'silence' ? 'Only count events that match' : 'Only events that match'}
            placeholder="every event"
            without={allFields}
            text={draft.where}
            seen={seen}
            refusal={refused?.filter}
            onText={where => change({ where })}
          />
        )}
        {problems.where && !refused?.filter && <p class="hint bad">{problems.where}</p>}
        <Preview draft={draft} />
      </fieldset>
      <ChannelFields {...fields} canEmail={canEmail} before={alert} />
      <Field
        label="Name"
        value={draft.name}
        onText={name => change({ name })}
        maxLength={100}
        placeholder={kindOf(draft.kind)?.defaultName ?? ''}
        hint="Stands in every notification."
        problem={problems.name ?? ''}
      />
      {refused && !refused.field && (
        <Notice tone="bad" title="The alert wasn't saved">
          {refused.message}
        </Notice>
      )}
      <div class="dialog-actions">
        <Button onClick={cancel}>Cancel</Button>
        <Button type="submit" kind="primary" busy={isBusy} disabled={draft.channelType === 'email' && !canEmail}>
          {alert ? 'Save' : 'Create alert'}
        </Button>
      </div>
    </form>
  );
}

const allFields: readonly string[] = [];

const formName = (endpointId: string, alertId = 'new'): string => `alert.${endpointId}.${alertId}`;

/** Whether the form has unsaved changes of an earlier visit. @param alertId undefined for a new one */
export const hasUnsaved = (endpointId: string, alertId?: string): boolean =>
  keptDraft(formName(endpointId, alertId)) !== null;

function useForm({ endpointId, alert, kind, onSaved, onCancel }: AlertFormProps) {
  const { draft, setDraft, restored, discard, forget } = useDraft<AlertDraft>(
    formName(endpointId, alert?.id),
    () => (alert ? draftOf(alert) : newDraft(kind ?? 'silence')),
    'token',
  );
  const [refused, setRefused] = useState<ServerProblem>();
  /** Problems are shown once saving was tried. */
  const [isTried, setIsTried] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const own = useMemo(() => problemsOf(draft), [draft]);
  const isWrongFilter = takes.where(draft.kind) && parse(draft.where) instanceof FilterError;
  const problems: DraftProblems = {
    ...(refused?.field && { [refused.field]: refused.message }),
    ...(isTried && own),
  };
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' });
    form.current?.querySelector<HTMLElement>('input:checked, input:not([type="radio"])')?.focus();
  }, []);
  const toProblem = (): void => {
    // After the problems are rendered.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  const cancel = (): void => {
    forget();
    onCancel();
  };
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setIsTried(true);
    if (Object.keys(own).length > 0 || isWrongFilter) return toProblem();
    const changed = alert && changeOf(draft, alert);
    if (changed && Object.keys(changed).length === 0) return cancel();
    setIsBusy(true);
    try {
      const saved =
        alert && changed
          ? await alertsApi.change(endpointId, alert.id, changed)
          : await alertsApi.create(endpointId, requestOf(draft));
      forget();
      onSaved(saved);
    } catch (error) {
      setRefused(problemOfError(error));
      setIsBusy(false);
      toProblem();
    }
  };
  const change = (changed: Partial<AlertDraft>): void => {
    setRefused(undefined);
    setDraft(old => ({ ...old, ...changed }));
  };
  return { form, draft, problems, refused, isBusy, change, save, cancel, restored, discard };
}

const KindFields = ({ kind, onPick }: { kind: Kind; onPick: (kind: Kind) => void }) => (
  <fieldset class="alert-kinds">
    <legend>Watch for</legend>
    {kinds.map(({ id, title, sentence }) => (
      <label key={id}>
        <input type="radio" name="alert-kind" checked={id === kind} onChange={() => onPick(id)} />
        <span class="stack">
          <strong>{title}</strong>
          <span class="faint">{sentence}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

const units: readonly { id: Unit; label: string }[] = [
  { id: 'minute', label: 'minutes' },
  { id: 'hour', label: 'hours' },
  { id: 'day', label: 'days' },
];

const number = { type: 'text', inputMode: 'numeric', autocomplete: 'off', maxLength: 6 } as const;
const amountLabels: Partial<Record<Kind, string>> = {
  silence: 'No event for',
  bad_signatures: 'Within',
  forward_stuck: 'Failing for',
};

const NumberFields = ({ draft, problems, change }: PartProps) =>
  !takes.minutes(draft.kind) ? null : (
    <div class="alert-numbers">
      {takes.count(draft.kind) && (
        <Field
          label="Events"
          {...number}
          value={draft.count}
          onText={count => change({ count })}
          problem={problems.count ?? ''}
        />
      )}
      <Field
        label={amountLabels[draft.kind] ?? 'For'}
        {...number}
        value={draft.amount}
        onText={amount => change({ amount })}
        problem={problems.amount ?? ''}
      />
      <SelectField label="Unit" options={units} value={draft.unit} onPick={unit => change({ unit })} />
    </div>
  );

/** The condition as it will stand in the list. */
function Preview({ draft }: { draft: AlertDraft }) {
  const { amount, count } = problemsOf(draft);
  if (amount || count) return null;
  return (
    <p class="alert-preview">
      {isReporting(draft) ? 'Reports: ' : 'Fires: '}
      <ConditionSentence condition={conditionOf(draft)} />.
    </p>
  );
}
