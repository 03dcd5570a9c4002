/* How far a job is, and the buttons that change it. */

import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { jobsApi } from '../inspector/replay/jobs-api.ts';
import { ActionButton } from '../kit/action.tsx';
import { Button } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { formatCount } from '../kit/format/time.ts';
import { countOf, isOver, outcomeLabels, outcomesOf, settledOf, stateLabels, stateTones } from './wording.ts';

export const JobState = ({ job }: { job: ReplayJob }) => (
  <span class={`badge ${stateTones[job.state]}`}>{stateLabels[job.state]}</span>
);

export function JobProgress({ job }: { job: ReplayJob }) {
  const settled = settledOf(job);
  const parts = outcomesOf(job).filter(outcome => outcome !== 'waiting' && countOf(job, outcome) > 0);
  return (
    <div class="col tight">
      <progress max={Math.max(1, job.matched)} value={job.matched === 0 ? 1 : settled} aria-label="Progress" />
      <p class="row figures">
        <span>
          {settled.toLocaleString()} of {formatCount(job.matched, 'event')}
        </span>
        {parts.map(outcome => (
          <span key={outcome} class={outcome === 'failed' || outcome === 'different' ? 'bad' : 'faint'}>
            {countOf(job, outcome).toLocaleString()} {outcomeLabels[outcome].toLowerCase()}
          </span>
        ))}
      </p>
    </div>
  );
}

export function JobButtons({ job, onChange }: { job: ReplayJob; onChange: (job: ReplayJob) => void }) {
  if (isOver(job)) return null;
  const act = async (verb: 'pause' | 'resume' | 'cancel'): Promise<void> => onChange(await jobsApi.act(job.id, verb));
  const cancel = () =>
    confirm({
      title: 'Cancel this job?',
      text: `${formatCount(countOf(job, 'waiting'), 'event')} won't be sent, and requests in progress are cancelled. A cancelled job can't be resumed.`,
      button: 'Cancel the job',
      cancel: 'Keep running',
      run: () => act('cancel'),
    });
  const isPaused = job.state === 'paused';
  return (
    <div class="row">
      <ActionButton
        icon={isPaused ? 'play' : 'pause'}
        kind={isPaused ? 'primary' : 'plain'}
        act={() => act(isPaused ? 'resume' : 'pause')}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </ActionButton>
      <Button kind="danger" onClick={cancel}>
        Cancel the job
      </Button>
    </div>
  );
}
