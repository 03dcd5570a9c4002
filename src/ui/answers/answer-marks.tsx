/* What other pages show of an endpoint's rules: marks, so that a forgotten rule is noticed, and the card of the settings. */

import type { AnswerRule } from '../../features/answers/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { describeAnswer, describeCondition, isSuccess } from '../../shared/answer-rule.ts';
import { api } from '../kit/api.ts';
import { Notice } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { HeaderMark } from '../kit/header-mark.tsx';
import { Link } from '../kit/navigation.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import { type Query, useQuery } from '../kit/use-query.ts';

const lineOf = (rule: AnswerRule): string => visibleLine(`${describeAnswer(rule)}: ${describeCondition(rule)}`);

/** For the header of the endpoint. Nothing for the default answer. */
export const AnswersMark = ({ endpoint }: { endpoint: Endpoint }) =>
  !endpoint.customAnswers ? null : <Mark endpoint={endpoint} />;

function Mark({ endpoint }: { endpoint: Endpoint }) {
  const { value: rules = [] } = useRules(endpoint);
  const [only, ...others] = rules;
  const text = only && others.length === 0 ? `Responds: ${lineOf(only)}` : 'Answer rules';
  return (
    <HeaderMark
      tone="warn"
      to={`/app/endpoints/${endpoint.id}/answers`}
      text={text}
      short="Answers"
      title={`Answer rules are active.\n${rules.map(lineOf).join('\n')}`.trim()}
    />
  );
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

/** The card of the settings. */
export function AnswersSection({ endpoint }: { endpoint: Endpoint }) {
  const query = useRules(endpoint);
  const hasSome = query.value !== undefined && query.value.length > 0;
  return (
    <Card title="Answers" id="answers">
      <Loaded query={query} what="the rules" rows={1} inCard>
        {rules =>
          hasSome ? (
            <>
              <p class="lead">
                Mock responses for senders. The first matching rule decides the response; if none matches, senders get
                200.
              </p>
              <RuleSummaries rules={rules} />
            </>
          ) : (
            <p class="lead">
              Mock responses for senders. Every delivery gets 200 until you add a rule: an error, a rate limit, a delay
              or a broken connection.
            </p>
          )
        }
      </Loaded>
      <div class="row">
        <Link class="button plain" to={`/app/endpoints/${endpoint.id}/answers`}>
          {hasSome ? 'Edit answers' : 'Add rules'}
        </Link>
      </div>
    </Card>
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
