/* Marks an endpoint with rules, so that a forgotten rule is noticed, and lists its answers. */

import type { AnswerRule } from '../../features/answers/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { describeAnswer, describeCondition } from '../../shared/answer-rule.ts';
import { Notice } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { HeaderMark } from '../kit/header-mark.tsx';
import { Link } from '../kit/navigation.tsx';
import { RuleSummaries } from './rule-summaries.tsx';
import { useRules } from './use-rules.ts';

const lineOf = (rule: AnswerRule): string => visibleLine(`${describeAnswer(rule)}: ${describeCondition(rule)}`);

/** For the header of the endpoint. Nothing for the default answer. */
export const AnswersMark = ({ endpoint }: { endpoint: Endpoint }) =>
  !endpoint.customAnswers ? null : <Mark endpoint={endpoint} />;

function Mark({ endpoint }: { endpoint: Endpoint }) {
  const { value: rules = [] } = useRules(endpoint);
  const [only, ...others] = rules;
  const text = only && others.length === 0 ? `Answers ${lineOf(only)}` : 'Custom answers';
  return (
    <HeaderMark
      tone="warn"
      to={`/app/endpoints/${endpoint.id}/answers`}
      text={text}
      short="Answers"
      title={`Senders don't always get the default answer.\n${rules.map(lineOf).join('\n')}`.trim()}
    />
  );
}

/** For the list of endpoints, without the rules. */
export const AnswersBadge = ({ endpoint }: { endpoint: Endpoint }) =>
  !endpoint.customAnswers ? null : (
    <span class="badge warn" title="Senders don't always get the default answer">
      Custom answers
    </span>
  );

/** For the page of an endpoint without events, where the first test would be answered by a rule. */
export const AnswersNotice = ({ endpoint }: { endpoint: Endpoint }) =>
  !endpoint.customAnswers ? null : <RulesNotice endpoint={endpoint} />;

function RulesNotice({ endpoint }: { endpoint: Endpoint }) {
  const { value: rules = [] } = useRules(endpoint);
  return (
    <div class="col">
      <Notice
        tone="warn"
        title="Senders don't always get the default answer"
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
