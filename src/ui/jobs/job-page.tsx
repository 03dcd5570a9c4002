/* One replay job: its progress, the outcomes of its events, and for two destinations how their answers differ. */

import { useEffect } from 'preact/hooks';
import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { jobPath, jobsApi } from '../inspector/replay/jobs-api.ts';
import { formatBytes } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { Card, Facts, Loaded, Page } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { usePolled } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { Comparison } from './comparison.tsx';
import { JobItems } from './job-items.tsx';
import { JobButtons, JobProgress } from './job-progress.tsx';
import { isOver, jobTitle, outcomesOf, paceText, percentOf } from './wording.ts';

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
