/* One rule in the list: what it does in a line, its buttons, and, unfolded, the fields of its conditions and its answer. */

import { useId } from 'preact/hooks';
import { describeAnswer, describeCondition, isCatchAll, isSuccess } from '../../shared/answer-rule.ts';
import { unknownPlaceholders } from '../../shared/placeholders.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import type { SeenSource } from '../inspector/filter/use-seen-values.ts';
import { type Example, placeholdersFor } from '../inspector/placeholders.ts';
import { Button, IconButton, Segmented } from '../kit/controls.tsx';
import { HeaderEditor } from '../kit/fields.tsx';
import { type FieldsOf, Inputs } from '../kit/form.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Icon } from '../kit/icons.tsx';
import { keyLabel } from '../kit/key-label.ts';
import type { FieldDraft, Input, Pair } from '../kit/schema.ts';
import { TemplateField } from '../kit/template-field.tsx';
import { type RuleDraft, type RuleProblems, ruleRules } from './rule-schema.tsx';
import type { AnswersEditor } from './use-answers.ts';

export type RuleActions = {
  change: (change: Partial<RuleDraft>) => void;
  move: (by: 1 | -1) => void;
  duplicate: () => void;
  remove: () => void;
  toggle: () => void;
};

type RuleCardProps = {
  editor: AnswersEditor;
  draft: RuleDraft;
  names: readonly string[];
  index: number;
  isOpen: boolean;
  actions: RuleActions;
  seen: SeenSource;
  example: Example | undefined;
};

export function RuleCard({ editor, draft, names, index, isOpen, actions, seen, example }: RuleCardProps) {
  const id = useId();
  const name = visibleLine(names[index] ?? '');
  const rule = editor.rules[index] ?? { answer: {} };
  const problems = editor.problemsOf(draft.key);
  const catchAll = editor.rules.findIndex(isCatchAll);
  const problemCount = Object.keys(problems).length;
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (by === 0 || !event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions.move(by);
  };
  const fields: RuleFields = {
    rules: ruleRules,
    draft,
    input: path => ({
      value: draft[path],
      problem: problems[path] ?? '',
      change: (value: FieldDraft) => actions.change({ [path]: value } as Partial<RuleDraft>),
    }),
  };
  return (
    <li class={`card rule ${problemCount > 0 ? 'wrong' : ''}`}>
      <div class="rule-head row">
        <h3 class="grow">
          <button
            type="button"
            class="rule-toggle line"
            aria-expanded={isOpen}
            aria-controls={`${id}-fields`}
            onClick={actions.toggle}
            onKeyDown={onKeyDown}
          >
            <Icon name="chevron" />
            <span class="faint figures rigid">{index + 1}</span>
            <span class="grow breaks">
              <strong>{name}</strong> <span class="faint">{visibleLine(describeCondition(rule))}</span>
            </span>
            <span class={`badge ${isSuccess(rule) ? 'good' : 'bad'}`}>{describeAnswer(rule)}</span>
          </button>
        </h3>
        <span class="rule-buttons line rigid tight">
          <IconButton
            icon="up"
            label={`Move ${name} up`}
            title={`Move up (${keyLabel('Alt+ArrowUp')})`}
            aria-disabled={index === 0}
            onClick={() => actions.move(-1)}
            onKeyDown={onKeyDown}
          />
          <IconButton
            icon="chevron"
            label={`Move ${name} down`}
            title={`Move down (${keyLabel('Alt+ArrowDown')})`}
            aria-disabled={index === names.length - 1}
            onClick={() => actions.move(1)}
            onKeyDown={onKeyDown}
          />
          <IconButton icon="copy" label={`Duplicate ${name}`} title="Duplicate" onClick={actions.duplicate} />
          <IconButton icon="trash" label={`Remove ${name}`} title="Remove" onClick={actions.remove} />
        </span>
      </div>
      {catchAll >= 0 && catchAll < index && (
        <p class="hint rule-note">
          Never reached: “{visibleLine(names[catchAll] ?? '')}” above matches every request. Move this rule up, or add a
          condition to the one above.
        </p>
      )}
      {!isOpen && problemCount > 0 && <p class="hint bad rule-note">{firstProblem(problems)}</p>}
      <div id={`${id}-fields`} class="rule-fields col loose" hidden={!isOpen}>
        {isOpen && (
          <>
            <Inputs form={fields} paths={['name']} texts={{ name: { placeholder: `rule-${index + 1}` } }} />
            <ConditionFields fields={fields} seen={seen} error={editor.error} />
            <AnswerFields fields={fields} example={example} />
          </>
        )}
      </div>
    </li>
  );
}

const firstProblem = (problems: RuleProblems): string => Object.values(problems)[0] ?? '';

type RuleFields = FieldsOf<typeof ruleRules.schema>;

type ConditionProps = {
  fields: RuleFields;
  seen: SeenSource;
  error: unknown;
};

const ConditionFields = ({ fields, seen, error }: ConditionProps) => (
  <fieldset class="box col">
    <legend>When</legend>
    <FilterField label="Filter" input={fields.input('when')} error={error} seen={seen} />
    <div class="fit">
      <Inputs form={fields} paths={['first', 'every', 'chance', 'rate.max', 'rate.perS']} />
    </div>
    <Inputs form={fields} paths={['per', 'handshake']} />
  </fieldset>
);

function AnswerFields({ fields, example }: { fields: RuleFields; example: Example | undefined }) {
  const { 'answer.fault': fault, 'rate.max': rate } = fields.draft;
  const isCut = fault === 'close' || fault === 'reset';
  const status = {
    placeholder: rate === '' ? '200' : '429',
    ...(isCut && { hint: 'not sent with this fault' }),
  };
  return (
    <fieldset class="box col">
      <legend>Answer</legend>
      <div class="fit">
        <Inputs form={fields} paths={['answer.status', 'answer.delayMs']} texts={{ 'answer.status': status }} />
      </div>
      <Inputs form={fields} paths={['answer.fault']} />
      {!isCut && (
        <>
          <HeaderFields {...fields.input('answer.headers')} />
          <BodyField
            body={fields.input('answer.body')}
            encoding={fields.input('answer.bodyEncoding')}
            example={example}
          />
        </>
      )}
      <p class="hint">The event is stored before the response is sent.</p>
    </fieldset>
  );
}

function HeaderFields({ value, problem, change }: Input<readonly Pair[]>) {
  const hasType = value.some(([name]) => /^content-type$/i.test(name.trim()));
  return (
    <HeaderEditor
      headers={value}
      isInvalid={problem !== ''}
      onChange={next => change(next)}
      buttons={
        !hasType && (
          <Button kind="quiet" onClick={() => change([...value, ['Content-Type', 'application/json']])}>
            Add Content-Type
          </Button>
        )
      }
    >
      <p class={problem ? 'hint bad' : 'hint'} role={problem ? 'alert' : undefined}>
        {problem ||
          "Cookies, CORS and connection headers are not allowed, so that a response can't act as this server in a browser."}
      </p>
    </HeaderEditor>
  );
}

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

function BodyField({ body, encoding, example }: BodyFieldProps) {
  const isBase64 = encoding.value;
  const unknown = isBase64 ? [] : unknownPlaceholders(body.value);
  return (
    <>
      <TemplateField
        label="Body"
        aside={
          <Segmented
            label="Encoding of the body"
            options={encodings}
            value={isBase64 ? 'base64' : 'utf8'}
            onPick={picked => encoding.change(picked === 'base64')}
          />
        }
        input={body}
        rows={5}
        placeholder={isBase64 ? '' : 'empty'}
        hint={
          isBase64
            ? 'Sent as is. Placeholders work only in text bodies.'
            : unknown.length > 0
              ? `Unknown placeholder, sent as text: ${unknown.slice(0, 3).map(visibleLine).join(', ')}`
              : 'Placeholders are replaced once; a missing value becomes empty. Values are JSON-escaped if Content-Type is JSON.'
        }
        placeholders={isBase64 ? [] : placeholdersFor(example)}
      />
      <p class="hint">
        Responses never set cookies and carry a policy that stops browsers from running scripts in them.
      </p>
    </>
  );
}
