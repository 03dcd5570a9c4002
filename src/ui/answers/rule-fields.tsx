/* The fields of a rule: its conditions and its answer. */

import type { FilterError } from '../../shared/filter/filter.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import type { SeenSource } from '../inspector/filter/use-seen-values.ts';
import { Button, Checkbox, Field } from '../kit/controls.tsx';
import { HeaderEditor } from '../kit/header-editor.tsx';
import { SelectField } from '../kit/select-field.tsx';
import type { FieldsProps } from './body-field.tsx';
import { BodyField } from './body-field.tsx';
import type { Fault, Per } from './draft.ts';
import type { Example } from './placeholders.ts';

const scopes: readonly { id: Per; label: string }[] = [
  { id: 'endpoint', label: 'all requests together' },
  { id: 'delivery', label: 'the attempts of each delivery' },
];

type ConditionProps = FieldsProps & { seen: SeenSource; filterProblem: FilterError | undefined };

export const ConditionFields = ({ draft, problems, onChange, seen, filterProblem }: ConditionProps) => (
  <fieldset class="rule-part">
    <legend>When</legend>
    <FilterField
      label="Condition"
      input={{ value: draft.when, problem: filterProblem?.message ?? '', change: when => onChange({ when }) }}
      error={filterProblem}
      seen={seen}
    />
    <div class="rule-numbers">
      <NumberField
        name="first"
        label="Only the first"
        hint="then the rule is over"
        {...{ draft, problems, onChange }}
      />
      <NumberField name="every" label="Every" hint="3: the 3rd, the 6th, …" {...{ draft, problems, onChange }} />
      <NumberField name="chance" label="Chance in %" hint="drawn for each request" {...{ draft, problems, onChange }} />
      <NumberField
        name="rateMax"
        label="Rate: requests"
        hint="answers deliveries beyond it"
        {...{ draft, problems, onChange }}
      />
      <NumberField name="ratePerS" label="Rate: seconds" hint="within so many" {...{ draft, problems, onChange }} />
    </div>
    <SelectField label="Count" options={scopes} value={draft.per} onPick={per => onChange({ per })} />
    {problems.per && <p class="hint bad">{problems.per}</p>}
    <Checkbox
      label="Answers handshakes, too"
      hint={
        problems.handshake ??
        'Without this, the checks that platforms make before they use a URL are answered as they expect.'
      }
      checked={draft.handshake}
      onChange={handshake => onChange({ handshake })}
    />
  </fieldset>
);

type NumberName = 'first' | 'every' | 'chance' | 'rateMax' | 'ratePerS' | 'status' | 'delay';

type NumberFieldProps = FieldsProps & { name: NumberName; label: string; hint: string; placeholder?: string };

const NumberField = ({ name, label, hint, placeholder, draft, problems, onChange }: NumberFieldProps) => (
  <Field
    label={label}
    type="text"
    inputMode={name === 'delay' ? 'text' : name === 'chance' ? 'decimal' : 'numeric'}
    autocomplete="off"
    spellcheck={false}
    maxLength={12}
    {...(placeholder && { placeholder })}
    value={draft[name]}
    onText={text => onChange({ [name]: text })}
    problem={problems[name] ?? ''}
    hint={hint}
  />
);

const faults: readonly { id: Fault | ''; label: string }[] = [
  { id: '', label: 'None: send the answer' },
  { id: 'close', label: 'Close the connection without an answer' },
  { id: 'reset', label: 'Reset the connection' },
  { id: 'stall', label: 'Send the head, then nothing for 60 s' },
];

type AnswerFieldsProps = FieldsProps & { example: Example | undefined };

export const AnswerFields = ({ draft, problems, onChange, example }: AnswerFieldsProps) => {
  const isCut = draft.fault === 'close' || draft.fault === 'reset';
  return (
    <fieldset class="rule-part">
      <legend>Answer</legend>
      <div class="rule-numbers">
        <NumberField
          name="status"
          label="Status"
          placeholder={draft.rateMax === '' ? '200' : '429'}
          hint={isCut ? 'not sent: the connection ends' : ''}
          {...{ draft, problems, onChange }}
        />
        <NumberField
          name="delay"
          label="Delay"
          placeholder="none"
          hint="such as 800ms or 10s"
          {...{ draft, problems, onChange }}
        />
      </div>
      <SelectField label="Fault" options={faults} value={draft.fault} onPick={fault => onChange({ fault })} />
      {problems.fault && <p class="hint bad">{problems.fault}</p>}
      {!isCut && (
        <>
          <HeaderFields draft={draft} problems={problems} onChange={onChange} />
          <BodyField draft={draft} problems={problems} onChange={onChange} example={example} />
        </>
      )}
      <p class="hint">Every event is stored before its answer is sent.</p>
    </fieldset>
  );
};

function HeaderFields({ draft: { headers }, problems, onChange }: FieldsProps) {
  const hasType = headers.some(([name]) => /^content-type$/i.test(name.trim()));
  return (
    <HeaderEditor
      headers={headers}
      isInvalid={problems.headers !== undefined}
      onChange={next => onChange({ headers: next })}
      buttons={
        !hasType && (
          <Button
            kind="quiet"
            onClick={() => onChange({ headers: [...headers, ['Content-Type', 'application/json']] })}
          >
            Add Content-Type
          </Button>
        )
      }
    >
      <p class={problems.headers ? 'hint bad' : 'hint'} role={problems.headers ? 'alert' : undefined}>
        {problems.headers ??
          'Cookies, CORS headers and headers of the connection are refused: an answer can’t act in a browser in the name of this server.'}
      </p>
    </HeaderEditor>
  );
}
