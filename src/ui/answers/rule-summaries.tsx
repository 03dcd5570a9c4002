/* One line for each rule: its conditions and its answer. */

import type { AnswerRule } from '../../features/answers/model.ts';
import { describeAnswer, describeCondition, isSuccess } from '../../shared/answer-rule.ts';
import { visibleLine } from '../kit/format/visible.ts';

export const RuleSummaries = ({ rules }: { rules: readonly AnswerRule[] }) => (
  <ol class="col tight">
    {rules.map((rule, at) => (
      <li key={rule.name ?? at} class="line baseline">
        <span class={`badge ${isSuccess(rule) ? 'good' : 'bad'}`}>{describeAnswer(rule)}</span>{' '}
        <span class="breaks">
          <strong>{visibleLine(rule.name ?? `rule-${at + 1}`)}</strong> {visibleLine(describeCondition(rule))}
        </span>
      </li>
    ))}
  </ol>
);
