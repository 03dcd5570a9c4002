/* What other pages show of an endpoint's rules: marks, so that a forgotten rule is noticed. */

import type { AnswerRule } from '../../features/answers/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { describeAnswer, describeCondition, isSuccess } from '../../shared/answer-rule.ts';
import { api } from '../kit/api.ts';
import { Notice, Pill } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { type Query, useQuery } from '../kit/use-query.ts';

const lineOf = (rule: AnswerRule): string => visibleLine(`${describeAnswer(rule)}: ${describeCondition(rule)}`);

/** For the tab of the answers. */
export const AnswersPill = ({ endpoint }: { endpoint: Endpoint }) =>
  !endpoint.customAnswers ? null : <Marked endpoint={endpoint} />;

function Marked({ endpoint }: { endpoint: Endpoint }) {
  const { value: rules = [] } = useRules(endpoint);
  const lines = ['Answer rules are active', ...rules.map(lineOf)];
  return <Pill {...(!rules.every(isSuccess) && { tone: 'warn' })} count={rules.length} lines={lines} />;
}

/** For the page of an endpoint without events, where the first test would be answered by a rule. */
export const AnswersNotice = ({ endpoint }: { endpoint: Endpoint }) =>
  !endpoint.customAnswers ? null : <RulesNotice endpoint={endpoint} />;

function RulesNotice({ endpoint }: { endpoint: Endpoint }) {
  const { value: rules = [] } = useRules(endpoint);
  return (
    <div class="col">
      <Notice
        tone="warn"
        title="Answer rules are active"
        action={
          <Link class="button plain" to={`/app/endpoints/${endpoint.id}/answers`}>
            Answers
          </Link>
        }
      />
      <RuleSummaries rules={rules} />
    </div>
  );
}

const RuleSummaries = ({ rules }: { rules: readonly AnswerRule[] }) => (
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

/** The rules, which are loaded only if the endpoint has some. */
const useRules = ({ id, customAnswers }: Pick<Endpoint, 'id' | 'customAnswers'>): Query<readonly AnswerRule[]> =>
  useQuery(`${id} ${customAnswers}`, () =>
    customAnswers ? api.answers(id).then(({ rules }) => rules) : Promise.resolve([]),
  );
