/* The section of an endpoint's settings that says what senders get now, and leads to the page where that is edited. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { RuleSummaries } from '../answers/rule-summaries.tsx';
import { useRules } from '../answers/use-rules.ts';
import { Notice, Skeleton } from '../components/controls.tsx';
import { Link } from '../components/navigation.tsx';

export function AnswersSection({ endpoint }: { endpoint: Endpoint }) {
  const { rules, problem } = useRules(endpoint);
  return (
    <section class="card section" id="answers">
      <h2>Answers</h2>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!rules && !problem && <Skeleton rows={1} />}
      {rules?.length === 0 && (
        <p class="lead">
          Every delivery is answered 200. To see what a sender does when it is told something else, add rules: errors,
          rate limits, delays, broken connections.
        </p>
      )}
      {rules && rules.length > 0 && (
        <>
          <p class="lead">Senders are answered by rules. The first rule that matches answers; without one, 200.</p>
          <RuleSummaries rules={rules} />
        </>
      )}
      <div class="button-row">
        <Link class="button plain" to={`/app/endpoints/${endpoint.id}/answers`}>
          {rules && rules.length > 0 ? 'Edit answers' : 'Add rules'}
        </Link>
      </div>
    </section>
  );
}
