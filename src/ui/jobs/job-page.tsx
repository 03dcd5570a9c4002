/* One replay job: its progress, the outcomes of its events, and for two destinations how their answers differ. */

import { useEffect } from 'preact/hooks';
import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { jobPath, jobsApi, type Outcome } from '../inspector/replay/jobs-api.ts';
import { formatBytes } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { Facts, Loaded, Page } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { usePolled } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { Comparison } from './comparison.tsx';
import { JobItems } from './job-items.tsx';
import { JobButtons, JobProgress, JobState } from './job-progress.tsx';
import { outcomesOf, paceText } from './wording.ts';

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
  return (
    <Page
      title={job?.dest2 ? 'Comparison' : 'Replay job'}
      tab="Replay job"
      back={{ to: `/app/endpoints/${endpointId}/destinations`, label: 'Destinations' }}
      actions={job && <JobButtons job={job} onChange={set} />}
    >
      <Loaded query={query} what="this job" hint="Jobs are kept for 30 days after their end.">
        {job => <Job job={job} outcome={outcomesOf(job).find(one => one === shown.get('outcome'))} />}
      </Loaded>
    </Page>
  );
}

const Job = ({ job, outcome }: { job: ReplayJob; outcome: Outcome | undefined }) => (
  <>
    <section class="card section" aria-label="Progress">
      <div class="row" role="status">
        <JobState job={job} />
        {job.state === 'paused' && (
          <span class="faint">
            {job.stopAfter !== null && job.failed >= job.stopAfter
              ? `Paused after ${job.stopAfter.toLocaleString()} failures. Resume to continue; it pauses again after as many.`
              : 'Nothing is sent until you resume it.'}
          </span>
        )}
      </div>
      <JobProgress job={job} />
      <JobFacts job={job} />
    </section>
    {job.dest2 !== null && <Comparison key={job.id} job={job} />}
    <JobItems job={job} outcome={outcome} />
  </>
);

function JobFacts({ job }: { job: ReplayJob }) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === job.endpointId);
  return (
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
        ['Started', <Time at={job.createdAt} long />],
        job.finishedAt !== null && ['Ended', <Time at={job.finishedAt} long />],
      ]}
    />
  );
}
