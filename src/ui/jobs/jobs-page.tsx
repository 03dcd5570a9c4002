/* The replay jobs of the team, newest first, with live progress. */

import { useState } from 'preact/hooks';
import type { ReplayJob, ReplayJobPage } from '../../features/replay-jobs/model.ts';
import { jobPath, jobsApi } from '../inspector/replay/jobs-api.ts';
import { ActionButton } from '../kit/action.tsx';
import { Empty } from '../kit/controls.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Loaded, Page } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { usePolled } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { JobProgress, JobState } from './job-progress.tsx';

/** The jobs of all endpoints. */
export const JobsPage = () => (
  <Page title="Replay jobs">
    <Jobs />
  </Page>
);

/** @param endpointId only jobs of this endpoint */
export function Jobs({ endpointId }: { endpointId?: string }) {
  const { endpoints } = useWorkspace();
  const isRunning = ({ jobs }: ReplayJobPage): boolean => jobs.some(({ state }) => state === 'running');
  const query = usePolled(endpointId ?? 'all', () => jobsApi.list(endpointId), isRunning);
  const nameOf = (id: string): string => visibleName(endpoints?.find(one => one.id === id)?.name ?? id);
  return (
    <Loaded query={query} what="the jobs">
      {first =>
        first.jobs.length === 0 ? (
          <Empty title="No replay jobs">
            A replay job sends many events again from the server, at the rate you choose. Filter an endpoint's events,
            then choose Replay all that match.
          </Empty>
        ) : (
          <JobList key={endpointId} first={first} endpointId={endpointId} nameOf={nameOf} />
        )
      }
    </Loaded>
  );
}

type JobListProps = {
  first: ReplayJobPage;
  endpointId: string | undefined;
  nameOf: (endpointId: string) => string;
};

function JobList({ first, endpointId, nameOf }: JobListProps) {
  const [older, setOlder] = useState<ReplayJobPage>();
  const cursor = (older ?? first).nextCursor;
  const loadOlder = async (from: string): Promise<void> => {
    const page = await jobsApi.list(endpointId, from);
    setOlder({ jobs: [...(older?.jobs ?? []), ...page.jobs], nextCursor: page.nextCursor });
  };
  // A job that was started since moves other jobs to the next page.
  const known = new Set(first.jobs.map(({ id }) => id));
  return (
    <>
      <ul class="col">
        {[...first.jobs, ...(older?.jobs ?? []).filter(({ id }) => !known.has(id))].map(job => (
          <JobCard key={job.id} job={job} endpoint={nameOf(job.endpointId)} />
        ))}
      </ul>
      {cursor !== null && <ActionButton act={() => loadOlder(cursor)}>Show older jobs</ActionButton>}
    </>
  );
}

const JobCard = ({ job, endpoint }: { job: ReplayJob; endpoint: string }) => (
  <li class="card box col">
    <div class="row">
      <JobState job={job} />
      <h2 class="grow breaks">
        <Link to={jobPath(job)}>
          {job.dest2 === null ? visibleLine(job.dest) : `Comparison of ${visibleLine(job.dest)}`}
        </Link>
      </h2>
      <span class="faint">
        <Time at={job.createdAt} long />
      </span>
    </div>
    <p class="faint breaks">
      {endpoint}
      {job.where !== '' && (
        <>
          {' · '}
          <code>{visibleLine(job.where)}</code>
        </>
      )}
      {job.dest2 !== null && ` · with ${visibleLine(job.dest2)}`}
    </p>
    <JobProgress job={job} />
    {job.failed > 0 && (
      <Link to={`${jobPath(job)}?outcome=failed`}>
        Show {job.failed === 1 ? 'the failed event' : `the ${job.failed.toLocaleString()} failed events`}
      </Link>
    )}
  </li>
);
