/* The events of a job: what each is, and what the destination said to it. The URL has the outcome that is shown. */

import type { ReplayJob, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { previewOf, titleOf } from '../inspector/list/row-text.ts';
import { jobPath, type Outcome } from '../inspector/replay/jobs-api.ts';
import { ActionButton } from '../kit/action.tsx';
import { formatDuration } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useItems } from './use-items.ts';
import { countOf, outcomeLabels, outcomesOf, responseOf } from './wording.ts';

/** `outcome`: undefined for all. */
type JobItemsProps = { job: ReplayJob; outcome: Outcome | undefined };

export function JobItems({ job, outcome }: JobItemsProps) {
  const outcomes = outcomesOf(job).filter(one => one === outcome || countOf(job, one) > 0);
  const link = (one: Outcome | undefined, label: string, count: number) => (
    <Link
      key={label}
      class="nav-link line"
      replace
      to={`${jobPath(job)}${one === undefined ? '' : `?outcome=${one}`}`}
      aria-current={one === outcome ? 'page' : undefined}
    >
      {label} <span class="count">{count.toLocaleString()}</span>
    </Link>
  );
  return (
    <section class="card job-events" aria-label="Events">
      <nav class="row tight" aria-label="Events by outcome">
        {link(undefined, 'All', job.matched)}
        {outcomes.map(one => link(one, outcomeLabels[one], countOf(job, one)))}
      </nav>
      <ItemList key={`${job.id} ${outcome}`} job={job} outcome={outcome} />
    </section>
  );
}

function ItemList({ job, outcome }: JobItemsProps) {
  const { query, hasMore, more } = useItems(job, outcome);
  return (
    <Loaded query={query} what="the events" inCard>
      {items => (
        <>
          {items.length === 0 && <p class="faint">No events.</p>}
          <ul>
            {items.map(item => (
              <li key={item.eventId}>
                <Item job={job} item={item} />
              </li>
            ))}
          </ul>
          {hasMore && (
            <p>
              <ActionButton act={more}>Show more</ActionButton>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

function Item({ job, item }: { job: ReplayJob; item: ReplayJobItem }) {
  const { eventId, event, durationMs, sentAt } = item;
  const { text, tone } = responseOf(job, item);
  const response = (
    <>
      <span class={`cut ${tone}`} title={visibleLine(text)}>
        {visibleLine(text)}
      </span>
      <span class="latency figures faint">{durationMs !== null && formatDuration(durationMs)}</span>
      <span class="figures faint">{sentAt !== null && <Time at={sentAt} />}</span>
    </>
  );
  if (event === null)
    return (
      <div class="item-row">
        <PlatformMark platform={null} />
        <code class="cut faint">{eventId}</code>
        <span class="preview cut faint">The event is no longer stored</span>
        {response}
      </div>
    );
  const preview = previewOf(event);
  return (
    <Link class="item-row" to={`/app/endpoints/${job.endpointId}/events/${eventId}?tab=replays`}>
      <PlatformMark platform={event.platform} />
      <span class="type cut">{titleOf(event).text}</span>
      <span class={`preview cut soft ${preview.isInWords ? 'highlights' : ''}`}>{preview.text}</span>
      {response}
    </Link>
  );
}
