/* One replay job: its progress, for two destinations how their answers differ, and its events, of which the URL has the outcome shown. */

import { useEffect } from 'preact/hooks';
import type { ReplayJob, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { previewOf, titleOf } from '../inspector/list/row-text.ts';
import { jobPath, jobsApi, type Outcome } from '../inspector/replay/jobs-api.ts';
import { ActionButton } from '../kit/action.tsx';
import { formatBytes, formatDuration } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { Card, Facts, Loaded, Page } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { usePolled } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { Comparison } from './comparison.tsx';
import { JobButtons, JobProgress } from './job-progress.tsx';
import { useItems } from './use-items.ts';
import { countOf, isOver, jobTitle, outcomeLabels, outcomesOf, paceText, percentOf, responseOf } from './wording.ts';

type JobPageProps = { endpointId: string; id: string; query: URLSearchParams };

/** @param endpointId if the job belongs to another endpoint, the page moves there */
export function JobPage({ endpointId, id, query: shown }: JobPageProps) {
  const query = usePolled(
    id,
    () => jobsApi.job(id),
    job => job.state === 'running',
  );
  const { value: job, set } = query;
  const path = job && job.endpointId !== endpointId ? jobPath(job) + (shown.size > 0 ? `?${shown}` : '') : undefined;
  useEffect(() => {
    if (path) navigate(path, { replace: true });
  }, [path]);
  const name = job?.dest2 ? 'Comparison' : 'Replay job';
  return (
    <Page
      title={job ? visibleLine(jobTitle(job)) : name}
      tab={job && !isOver(job) ? `(${percentOf(job)} %) ${name}` : name}
      back={
        endpointId === ''
          ? { to: '/app/jobs', label: 'Replay jobs' }
          : { to: `/app/endpoints/${endpointId}/destinations`, label: 'Destinations' }
      }
      actions={job && <JobButtons job={job} onChange={set} />}
    >
      <Loaded query={query} what="this job" hint="Jobs are kept for 30 days after their end.">
        {job => (
          <>
            <section class="card section" aria-label="Progress">
              <JobProgress job={job} isStale={query.problem !== ''} />
            </section>
            {job.dest2 !== null && <Comparison key={job.id} job={job} />}
            <JobFacts job={job} />
            <JobItems job={job} outcome={outcomesOf(job).find(one => one === shown.get('outcome'))} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function JobFacts({ job }: { job: ReplayJob }) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === job.endpointId);
  return (
    <Card title="Settings">
      <Facts
        facts={[
          [
            'Endpoint',
            <Link to={`/app/endpoints/${job.endpointId}`}>{visibleName(endpoint?.name ?? job.endpointId)}</Link>,
          ],
          job.where !== '' && ['Filter', <code>{visibleLine(job.where)}</code>],
          [job.dest2 === null ? 'Destination' : 'Destination A', <code>{visibleLine(job.dest)}</code>],
          job.dest2 !== null && ['Destination B', <code>{visibleLine(job.dest2)}</code>],
          job.ignore.length > 0 && ['Ignored', <code>{visibleLine(job.ignore.join(', '))}</code>],
          job.compareHeaders.length > 0 && [
            'Headers compared',
            <code>{visibleLine(job.compareHeaders.join(', '))}</code>,
          ],
          ['Pace', `${paceText(job)}, ${job.concurrency} in parallel`],
          job.skipOk && ['Skips', 'Events already accepted'],
          ['Size', formatBytes(job.bytes)],
          [
            'Started',
            <>
              <Time at={job.createdAt} long />
              {job.startedBy !== null && ` by ${visibleLine(job.startedBy)}`}
            </>,
          ],
        ]}
      />
    </Card>
  );
}

/** `outcome`: undefined for all. */
type JobItemsProps = { job: ReplayJob; outcome: Outcome | undefined };

function JobItems({ job, outcome }: JobItemsProps) {
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
