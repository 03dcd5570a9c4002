/* The section of an endpoint's settings that shows its rules, and links to the page that edits them. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { Notice, Skeleton } from '../kit/controls.tsx';
import { Link } from '../kit/navigation.tsx';
import { RuleSummaries } from './rule-summaries.tsx';
import { useRules } from './use-rules.ts';

export function AnswersSection({ endpoint }: { endpoint: Endpoint }) {
  const { rules, problem } = useRules(endpoint);
  return (
    <section class="card section" id="answers">
      <h2>Answers</h2>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!rules && !problem && <Skeleton rows={1} />}
      {rules?.length === 0 && (
        <p class="lead">
          Every delivery is answered with 200. To see how a sender reacts to something else, add rules: errors, rate
          limits, delays, broken connections.
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
