/* The replay jobs of the team, newest first, with live progress. */

import { useState } from 'preact/hooks';
import type { ReplayJob, ReplayJobPage } from '../../features/replay-jobs/model.ts';
import { jobPath, jobsApi } from '../inspector/replay/jobs-api.ts';
import { ActionButton } from '../kit/action.tsx';
import { Empty } from '../kit/controls.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Loaded, Page } from '../kit/page.tsx';
import { usePolled } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { countText, Meter, useJobState } from './job-progress.tsx';
import { isOver, jobTitle, paceText, settledOf } from './wording.ts';

export const JobsPage = () => (
  <Page title="Replay jobs">
    <Jobs />
  </Page>
);

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
          <JobList
            key={endpointId}
            first={first}
            endpointId={endpointId}
            nameOf={nameOf}
            isStale={query.problem !== ''}
          />
        )
      }
    </Loaded>
  );
}

type JobListProps = {
  first: ReplayJobPage;
  endpointId: string | undefined;
  nameOf: (endpointId: string) => string;
  isStale: boolean;
};

function JobList({ first, endpointId, nameOf, isStale }: JobListProps) {
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
      <ul class="card">
        {[...first.jobs, ...(older?.jobs ?? []).filter(({ id }) => !known.has(id))].map(job => (
          <JobRow
            key={job.id}
            job={job}
            endpoint={endpointId === undefined ? nameOf(job.endpointId) : undefined}
            isStale={isStale}
          />
        ))}
      </ul>
      {cursor !== null && <ActionButton act={() => loadOlder(cursor)}>Show older jobs</ActionButton>}
    </>
  );
}

type JobRowProps = { job: ReplayJob; endpoint: string | undefined; isStale: boolean };

function JobRow({ job, endpoint, isStale }: JobRowProps) {
  const { title, tone, detail } = useJobState({ job, isStale });
  const failed = job.dest2 === null ? 'failed' : 'different';
  return (
    <li class="job-row anchor">
      <div class="stack">
        <Link class="row-link" to={jobPath(job)}>
          {visibleLine(jobTitle(job))}
        </Link>
        <span class="cut faint">
          {endpoint !== undefined && `${endpoint} · `}
          {job.where !== '' && <code>{visibleLine(job.where)}</code>} to <code>{visibleLine(job.dest)}</code>
          {job.dest2 !== null && (
            <>
              {' '}
              and <code>{visibleLine(job.dest2)}</code>
            </>
          )}
        </span>
      </div>
      <div class="col tight">
        {!isOver(job) && <Meter job={job} />}
        <span class="figures small soft">
          {settledOf(job).toLocaleString()} of {job.matched.toLocaleString()}
          {job[failed] > 0 && (
            <>
              {' · '}
              <Link class="bad" to={`${jobPath(job)}?outcome=${failed}`}>
                {countText(job, failed)}
              </Link>
            </>
          )}
        </span>
      </div>
      <div class="stack figures">
        <strong class={tone}>{title}</strong>
        <span class="faint small">{job.state === 'running' ? paceText(job) : detail}</span>
      </div>
    </li>
  );
}
