/* The fields of a forward. */

import type { FilterError } from '../../shared/filter/filter.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import { withoutMarks } from '../inspector/filter/use-seen.ts';
import type { SeenSource } from '../inspector/filter/use-seen-values.ts';
import { Checkbox, Field } from '../kit/controls.tsx';
import { HeaderEditor } from '../kit/header-editor.tsx';
import { SelectField } from '../kit/select-field.tsx';
import type { ForwardDraft, ForwardProblems } from './forward-draft.ts';

type FieldsProps = {
  draft: ForwardDraft;
  problems: ForwardProblems;
  change: (changed: Partial<ForwardDraft>) => void;
};

const modes: readonly { id: ForwardDraft['mode']; label: string }[] = [
  { id: 'parallel', label: 'In any order: up to six at a time' },
  { id: 'ordered', label: 'In order: one at a time, oldest first' },
];

const plain = { type: 'text', autocomplete: 'off', spellcheck: false } as const;

type MainProps = FieldsProps & { seen: SeenSource; refusal: FilterError | undefined };

export const MainFields = ({ draft, problems, change, seen, refusal }: MainProps) => (
  <>
    <Field
      label="Name"
      {...plain}
      autoFocus
      maxLength={100}
      placeholder="orders to staging"
      value={draft.name}
      onText={name => change({ name })}
      problem={problems.name ?? ''}
    />
    <Field
      label="URL"
      {...plain}
      inputMode="url"
      placeholder="https://staging.example.com/webhooks"
      value={draft.url}
      onText={url => change({ url })}
      problem={problems.url ?? ''}
      hint="Each event goes there with its method, headers and exact body."
    />
    <FilterField
      label="Filter"
      text={draft.where}
      seen={seen}
      refusal={refusal}
      placeholder="every event"
      without={withoutMarks}
      onText={where => change({ where })}
    />
    <SelectField label="Order" options={modes} value={draft.mode} onPick={mode => change({ mode })} />
    {draft.mode === 'ordered' && (
      <Field
        label="Order within"
        {...plain}
        placeholder="all events together"
        value={draft.orderBy}
        onText={orderBy => change({ orderBy })}
        problem={problems.orderBy ?? ''}
        hint="A field such as body.order.id or header.x-shop: events with another value don't wait for each other."
      />
    )}
  </>
);

export const MoreFields = ({ draft, problems, change }: FieldsProps) => {
  const text = (name: 'timeoutS' | 'retryFor' | 'retryFirst' | 'retryMax', label: string) => (
    <Field
      label={label}
      {...plain}
      maxLength={12}
      {...(name === 'timeoutS' && { inputMode: 'numeric' })}
      value={draft[name]}
      onText={value => change({ [name]: value })}
      problem={problems[name] ?? ''}
    />
  );
  return (
    <div class="forward-more">
      <div class="forward-numbers">
        {text('retryFor', 'Try for')}
        {text('retryFirst', 'Shortest wait')}
        {text('retryMax', 'Longest wait')}
        {text('timeoutS', 'Timeout in s')}
      </div>
      <p class="hint">
        An event that isn't accepted is tried again for that long. The waits between attempts grow from the shortest to
        the longest.
      </p>
      <HeaderEditor
        headers={draft.headers}
        isInvalid={problems.headers !== undefined}
        onChange={headers => change({ headers })}
      >
        <p class={problems.headers ? 'hint bad' : 'hint'} role={problems.headers ? 'alert' : undefined}>
          {problems.headers ??
            'Added to every request, such as the credentials of the destination. Everyone in the team can read them.'}
        </p>
      </HeaderEditor>
      <Checkbox
        label="Only the first attempt of each delivery"
        hint={problems.isPerDelivery ?? 'When a sender repeats a delivery, the destination gets it once.'}
        checked={draft.isPerDelivery}
        onChange={isPerDelivery => change({ isPerDelivery })}
      />
      <Checkbox
        label="Sign anew"
        hint={
          problems.isSigned ??
          'With a stored secret that may sign for the destination. What it may not sign is given up.'
        }
        checked={draft.isSigned}
        onChange={isSigned => change({ isSigned })}
      />
      <Checkbox
        label="Enabled"
        hint={problems.isEnabled ?? 'Off: paused. Events wait until it is resumed.'}
        checked={draft.isEnabled}
        onChange={isEnabled => change({ isEnabled })}
      />
    </div>
  );
};
