/* The section of an endpoint's settings that shows its rules, and links to the page that edits them. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { Link } from '../kit/navigation.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import { RuleSummaries } from './rule-summaries.tsx';
import { useRules } from './use-rules.ts';

export function AnswersSection({ endpoint }: { endpoint: Endpoint }) {
  const query = useRules(endpoint);
  const hasSome = query.value !== undefined && query.value.length > 0;
  return (
    <Card title="Answers" id="answers">
      <Loaded query={query} what="the rules" rows={1} inCard>
        {rules =>
          hasSome ? (
            <>
              <p class="lead">Senders are answered by rules. The first rule that matches answers; without one, 200.</p>
              <RuleSummaries rules={rules} />
            </>
          ) : (
            <p class="lead">
              Every delivery is answered with 200. To see how a sender reacts to something else, add rules: errors, rate
              limits, delays, broken connections.
            </p>
          )
        }
      </Loaded>
      <div class="button-row">
        <Link class="button plain" to={`/app/endpoints/${endpoint.id}/answers`}>
          {hasSome ? 'Edit answers' : 'Add rules'}
        </Link>
      </div>
    </Card>
  );
}
