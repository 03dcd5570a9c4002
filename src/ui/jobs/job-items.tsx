/* The events of a job by outcome. The URL has the outcome that is shown. */

import type { ReplayJob, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import { jobPath, type Outcome } from '../inspector/replay/jobs-api.ts';
import { statusText } from '../inspector/replay/status-text.ts';
import { ActionButton } from '../kit/action.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { useItems } from './use-items.ts';
import { countOf, outcomeLabels, outcomesOf } from './wording.ts';

type JobItemsProps = { job: ReplayJob; outcome: Outcome | undefined };

export function JobItems({ job, outcome }: JobItemsProps) {
  const outcomes = outcomesOf(job).filter(one => one === outcome || countOf(job, one) > 0);
  const shown = outcome ?? outcomes[0];
  if (shown === undefined) return null;
  return (
    <section class="card section" aria-labelledby="job-events">
      <h2 id="job-events">Events</h2>
      <nav class="row tight" aria-label="Events by outcome">
        {outcomes.map(one => (
          <Link
            key={one}
            class="nav-link line"
            replace
            to={`${jobPath(job)}?outcome=${one}`}
            aria-current={one === shown ? 'page' : undefined}
          >
            {outcomeLabels[one]} <span class="count">{countOf(job, one).toLocaleString()}</span>
          </Link>
        ))}
      </nav>
      <ItemList key={`${job.id} ${shown}`} job={job} outcome={shown} />
    </section>
  );
}

function ItemList({ job, outcome }: { job: ReplayJob; outcome: Outcome }) {
  const { query, hasMore, more } = useItems(job, outcome);
  return (
    <Loaded query={query} what="the events" inCard>
      {items => (
        <>
          {items.length === 0 && <p class="faint">No events.</p>}
          <ul class="rows">
            {items.map(item => (
              <li key={item.eventId}>
                <Link to={`/app/endpoints/${job.endpointId}/events/${item.eventId}`}>
                  <code>{item.eventId}</code>
                </Link>
                <span>{answerText(job, item)}</span>
                {item.error !== null && <span class="faint">{visibleLine(item.error)}</span>}
              </li>
            ))}
          </ul>
          {hasMore && <ActionButton act={more}>Show more</ActionButton>}
        </>
      )}
    </Loaded>
  );
}

function answerText(job: ReplayJob, { outcome, status, status2, error }: ReplayJobItem): string {
  if (outcome === 'waiting') return status === null ? 'not sent yet' : `${statusText(status)}, will be retried`;
  if (outcome === 'skipped') return '';
  if (job.dest2 !== null) return `${statusText(status)} | ${statusText(status2)}`;
  return status === null && error !== null ? '' : statusText(status);
}
