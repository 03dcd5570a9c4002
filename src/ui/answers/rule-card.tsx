/* One rule in the list: what it does in a line, the buttons that move, copy and remove it, and, unfolded, its fields. */

import { useId } from 'preact/hooks';
import type { AnswerRule } from '../../features/answers/model.ts';
import { describeAnswer, describeCondition, isSuccess } from '../../shared/answer-rule.ts';
import type { SeenSource } from '../inspector/filter/use-seen-values.ts';
import type { Example } from '../inspector/placeholders.ts';
import { IconButton } from '../kit/controls.tsx';
import { Inputs } from '../kit/form.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Icon } from '../kit/icons.tsx';
import { keyLabel } from '../kit/key-label.ts';
import type { FieldDraft } from '../kit/schema.ts';
import { AnswerFields, ConditionFields, type RuleFields } from './rule-fields.tsx';
import { type RuleDraft, type RuleProblems, ruleRules } from './rule-schema.tsx';

export type RuleActions = {
  change: (change: Partial<RuleDraft>) => void;
  move: (by: 1 | -1) => void;
  duplicate: () => void;
  remove: () => void;
  toggle: () => void;
};

type RuleCardProps = {
  draft: RuleDraft;
  rule: AnswerRule;
  /** The default name if the rule has none. */
  name: string;
  index: number;
  count: number;
  problems: RuleProblems;
  /** Why the server refused the rules. */
  error: unknown;
  /** The name of an earlier rule that answers every request; empty for none. */
  coveredBy: string;
  isOpen: boolean;
  actions: RuleActions;
  seen: SeenSource;
  example: Example | undefined;
};

export function RuleCard(props: RuleCardProps) {
  const { draft, rule, index, count, problems, coveredBy, isOpen, actions, seen, example } = props;
  const id = useId();
  const name = visibleLine(props.name);
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
            aria-disabled={index === count - 1}
            onClick={() => actions.move(1)}
            onKeyDown={onKeyDown}
          />
          <IconButton icon="copy" label={`Duplicate ${name}`} title="Duplicate" onClick={actions.duplicate} />
          <IconButton icon="trash" label={`Remove ${name}`} title="Remove" onClick={actions.remove} />
        </span>
      </div>
      {coveredBy !== '' && (
        <p class="hint rule-note">
          Never reached: “{visibleLine(coveredBy)}” above matches every request. Move this rule up, or add a condition
          to the one above.
        </p>
      )}
      {!isOpen && problemCount > 0 && <p class="hint bad rule-note">{firstProblem(problems)}</p>}
      <div id={`${id}-fields`} class="rule-fields col loose" hidden={!isOpen}>
        {isOpen && (
          <>
            <Inputs form={fields} paths={['name']} texts={{ name: { placeholder: `rule-${index + 1}` } }} />
            <ConditionFields fields={fields} seen={seen} error={props.error} />
            <AnswerFields fields={fields} example={example} />
          </>
        )}
      </div>
    </li>
  );
}

const firstProblem = (problems: RuleProblems): string => Object.values(problems)[0] ?? '';
