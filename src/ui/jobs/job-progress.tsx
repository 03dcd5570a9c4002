/* How far a job is, and the buttons that change it. */

import { useState } from 'preact/hooks';
import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { jobsApi } from '../inspector/replay/jobs-api.ts';
import { Button, Dialog } from '../kit/controls.tsx';
import { formatCount } from '../kit/format/time.ts';
import { showError } from '../kit/toasts.tsx';
import { countOf, isOver, outcomeLabels, outcomesOf, settledOf, stateLabels, stateTones } from './wording.ts';

export const JobState = ({ job }: { job: ReplayJob }) => (
  <span class={`badge ${stateTones[job.state]}`}>{stateLabels[job.state]}</span>
);

export function JobProgress({ job }: { job: ReplayJob }) {
  const settled = settledOf(job);
  const parts = outcomesOf(job).filter(outcome => outcome !== 'waiting' && countOf(job, outcome) > 0);
  return (
    <div class="job-progress">
      <progress max={Math.max(1, job.matched)} value={job.matched === 0 ? 1 : settled} aria-label="Progress" />
      <p class="job-counts">
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
  const [busy, setBusy] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  if (isOver(job)) return null;
  const act = async (verb: 'pause' | 'resume' | 'cancel'): Promise<void> => {
    setBusy(verb);
    try {
      onChange(await jobsApi.act(job.id, verb));
    } catch (error) {
      showError(error);
    }
    setBusy('');
    setIsAsking(false);
  };
  const isPaused = job.state === 'paused';
  return (
    <div class="button-row">
      <Button
        icon={isPaused ? 'play' : 'pause'}
        kind={isPaused ? 'primary' : 'plain'}
        busy={busy === 'pause' || busy === 'resume'}
        onClick={() => act(isPaused ? 'resume' : 'pause')}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        Cancel the job
      </Button>
      {isAsking && (
        <Dialog title="Cancel the job?" onClose={() => setIsAsking(false)}>
          <p>
            {formatCount(countOf(job, 'waiting'), 'event')} won't be sent. Requests under way are cut off. A cancelled
            job can't go on.
          </p>
          <div class="dialog-actions">
            <Button onClick={() => setIsAsking(false)}>Keep it</Button>
            <Button kind="danger" busy={busy === 'cancel'} onClick={() => act('cancel')}>
              Cancel the job
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
