/* The replay jobs of the endpoint that are not over, with what is left of them. */

import type { ReplayJob } from '../../../features/replay-jobs/model.ts';
import { jobPath, jobsApi } from '../../inspector/replay/jobs-api.ts';
import { Meter, useJobState } from '../../jobs/job-progress.tsx';
import { isOver, settledOf } from '../../jobs/wording.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Link } from '../../kit/navigation.tsx';
import { usePolled } from '../../kit/use-query.ts';
import { Lane } from './lane.tsx';

const busyMs = 2000;
const idleMs = 15_000;

export function JobsUnderWay({ endpointId }: { endpointId: string }) {
  const { value, problem } = usePolled(
    `jobs ${endpointId}`,
    () => jobsApi.list(endpointId),
    () => true,
    ({ jobs }) => (jobs.some(({ state }) => state === 'running') ? busyMs : idleMs),
  );
  return (
    <>
      {(value?.jobs ?? [])
        .filter(job => !isOver(job))
        .map(job => (
          <JobLane key={job.id} job={job} isStale={problem !== ''} />
        ))}
    </>
  );
}

function JobLane({ job, isStale }: { job: ReplayJob; isStale: boolean }) {
  const { title, tone } = useJobState({ job, isStale });
  return (
    <Lane
      class="job"
      label={
        <>
          <Link to={jobPath(job)}>Replay job</Link>
          <span class="faint cut">to {visibleLine(job.dest)}</span>
        </>
      }
      figures={
        <>
          <strong class={tone}>{title}</strong>
          <span>
            {settledOf(job).toLocaleString()} of {job.matched.toLocaleString()}
          </span>
        </>
      }
    >
      <Meter job={job} />
    </Lane>
  );
}
