/* One replay job: its progress, the outcomes of its events, and for two destinations how their answers differ. */

import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { jobsApi, type Outcome } from '../inspector/replay/jobs-api.ts';
import { Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { formatBytes } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { useStyle } from '../kit/on-demand-style.ts';
import { Time } from '../kit/time.tsx';
import { usePolled } from '../kit/use-polled.ts';
import { useTitle } from '../kit/use-title.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import style from '../styles/jobs.css' with { type: 'file' };
import { Comparison } from './comparison.tsx';
import { JobItems } from './job-items.tsx';
import { JobButtons, JobProgress, JobState } from './job-progress.tsx';
import { outcomesOf, paceText } from './wording.ts';

export function JobPage({ id, outcome }: { id: string; outcome: string | null }) {
  useTitle('Replay job');
  const isStyled = useStyle(style);
  const query = usePolled(
    id,
    () => jobsApi.job(id),
    job => job.state === 'running',
  );
  const { value: job, problem, set } = query;
  if (!isStyled) return <Skeleton rows={3} kind="card" />;
  const shown = job && outcomesOf(job).find(one => one === outcome);
  return (
    <main class="page jobs">
      <header class="page-head">
        <div>
          <Link to="/app/jobs" class="crumb">
            ← Replay jobs
          </Link>
          <h1>{job?.dest2 ? 'Comparison' : 'Replay job'}</h1>
        </div>
        {job && <JobButtons job={job} onChange={set} />}
      </header>
      {problem &&
        (job ? (
          <Notice tone="warn">{problem}</Notice>
        ) : (
          <Empty title="Couldn't load this job">{problem} Jobs are kept for 30 days after their end.</Empty>
        ))}
      {!job && !problem && <Skeleton rows={3} kind="card" />}
      {job && <Job job={job} outcome={shown} />}
    </main>
  );
}

const Job = ({ job, outcome }: { job: ReplayJob; outcome: Outcome | undefined }) => (
  <>
    <section class="card section job-summary" aria-label="Progress">
      <div class="job-line" role="status">
        <JobState job={job} />
        {job.state === 'paused' && (
          <span class="faint">
            {job.stopAfter !== null && job.failed >= job.stopAfter
              ? `It stops after every ${job.stopAfter.toLocaleString()} failed events. Resume it to go on.`
              : 'Nothing is sent until it is resumed.'}
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
  const fact = (label: string, value: preact.ComponentChildren) => (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    <dl class="facts job-facts">
      {fact(
        'Endpoint',
        <Link to={`/app/endpoints/${job.endpointId}`}>{visibleName(endpoint?.name ?? job.endpointId)}</Link>,
      )}
      {job.where !== '' && fact('Filter', <code>{visibleLine(job.where)}</code>)}
      {fact(job.dest2 === null ? 'Destination' : 'Left', <code>{visibleLine(job.dest)}</code>)}
      {job.dest2 !== null && fact('Right', <code>{visibleLine(job.dest2)}</code>)}
      {job.ignore.length > 0 && fact('Not compared', <code>{visibleLine(job.ignore.join(', '))}</code>)}
      {job.compareHeaders.length > 0 &&
        fact('Headers compared', <code>{visibleLine(job.compareHeaders.join(', '))}</code>)}
      {fact('Pace', `${paceText(job)}, ${job.concurrency} at a time`)}
      {job.skipOk && fact('Skips', 'events that the destination has accepted before')}
      {fact('Bodies', formatBytes(job.bytes))}
      {fact('Started', <Time at={job.createdAt} long />)}
      {job.finishedAt !== null && fact('Ended', <Time at={job.finishedAt} long />)}
    </dl>
  );
}
