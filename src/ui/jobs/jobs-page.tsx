/* The replay jobs of the team, newest first, with live progress. */

import { useState } from 'preact/hooks';
import type { ReplayJob, ReplayJobPage } from '../../features/replay-jobs/model.ts';
import { jobsApi } from '../inspector/replay/jobs-api.ts';
import { Button, Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { useStyle } from '../kit/on-demand-style.ts';
import { Time } from '../kit/time.tsx';
import { showError } from '../kit/toasts.tsx';
import { usePolled } from '../kit/use-polled.ts';
import { useTitle } from '../kit/use-title.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import style from '../styles/jobs.css' with { type: 'file' };
import { JobProgress, JobState } from './job-progress.tsx';

/** @param endpointId only jobs of this endpoint */
export function JobsPage({ endpointId }: { endpointId: string | undefined }) {
  useTitle('Replay jobs');
  const isStyled = useStyle(style);
  const { endpoints } = useWorkspace();
  const isRunning = ({ jobs }: ReplayJobPage): boolean => jobs.some(({ state }) => state === 'running');
  const { value, problem } = usePolled(endpointId ?? 'all', () => jobsApi.list(endpointId), isRunning);
  const nameOf = (id: string): string => visibleName(endpoints?.find(one => one.id === id)?.name ?? id);
  if (!isStyled) return <Skeleton rows={3} kind="card" />;
  return (
    <main class="page jobs">
      <header class="page-head">
        <div>
          {endpointId !== undefined && (
            <Link to={`/app/endpoints/${endpointId}`} class="crumb">
              ← {nameOf(endpointId)}
            </Link>
          )}
          <h1>Replay jobs</h1>
        </div>
        {endpointId !== undefined && (
          <Link class="button quiet" to="/app/jobs">
            Jobs of all endpoints
          </Link>
        )}
      </header>
      {problem && (
        <Notice tone="bad" title="Couldn't load the jobs">
          {problem}
        </Notice>
      )}
      {!value && !problem && <Skeleton rows={3} kind="card" />}
      {value?.jobs.length === 0 && (
        <Empty title="No replay jobs">
          A job sends many events again, at a pace. Filter the events of an endpoint, then choose Replay all that match.
        </Empty>
      )}
      <JobList key={endpointId} first={value} endpointId={endpointId} nameOf={nameOf} />
    </main>
  );
}

type JobListProps = {
  first: ReplayJobPage | undefined;
  endpointId: string | undefined;
  nameOf: (endpointId: string) => string;
};

function JobList({ first, endpointId, nameOf }: JobListProps) {
  const [older, setOlder] = useState<ReplayJobPage>();
  const [isBusy, setIsBusy] = useState(false);
  const cursor = (older ?? first)?.nextCursor ?? null;
  const loadOlder = async (from: string): Promise<void> => {
    setIsBusy(true);
    try {
      const page = await jobsApi.list(endpointId, from);
      setOlder({ jobs: [...(older?.jobs ?? []), ...page.jobs], nextCursor: page.nextCursor });
    } catch (error) {
      showError(error);
    }
    setIsBusy(false);
  };
  // A job that was started since moves other jobs to the next page.
  const newest = first?.jobs ?? [];
  const known = new Set(newest.map(({ id }) => id));
  return (
    <>
      <ul class="job-list">
        {[...newest, ...(older?.jobs ?? []).filter(({ id }) => !known.has(id))].map(job => (
          <JobCard key={job.id} job={job} endpoint={nameOf(job.endpointId)} />
        ))}
      </ul>
      {cursor !== null && (
        <Button busy={isBusy} onClick={() => loadOlder(cursor)}>
          Show older jobs
        </Button>
      )}
    </>
  );
}

const JobCard = ({ job, endpoint }: { job: ReplayJob; endpoint: string }) => (
  <li class="card job-card">
    <div class="job-line">
      <JobState job={job} />
      <h2>
        <Link to={`/app/jobs/${job.id}`}>
          {job.dest2 === null ? visibleLine(job.dest) : `Comparison of ${visibleLine(job.dest)}`}
        </Link>
      </h2>
      <span class="faint">
        <Time at={job.createdAt} long />
      </span>
    </div>
    <p class="faint">
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
      <Link class="job-failed" to={`/app/jobs/${job.id}?outcome=failed`}>
        Show {job.failed === 1 ? 'the failed event' : `the ${job.failed.toLocaleString()} failed events`}
      </Link>
    )}
  </li>
);
