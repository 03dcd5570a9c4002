/* How far a job is, and the buttons that change it. */

import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { jobsApi, type Outcome } from '../inspector/replay/jobs-api.ts';
import { ActionButton } from '../kit/action.tsx';
import { Button } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { formatCount } from '../kit/format/time.ts';
import { Time } from '../kit/time.tsx';
import { useRemaining } from './remaining.ts';
import {
  countOf,
  isOver,
  isPausedByFailures,
  outcomeLabels,
  outcomesOf,
  remainingText,
  settledOf,
  stateLabels,
} from './wording.ts';

/** @param isStale the last look at the job has failed */
type ProgressProps = { job: ReplayJob; isStale: boolean };

/** What the job does: how long it will take, why it is paused, or when it ended. */
export function useJobState({ job, isStale }: ProgressProps) {
  const remaining = useRemaining(job);
  if (isStale && !isOver(job)) return { title: 'Unknown', tone: '', detail: '' };
  if (remaining !== undefined) return { tone: '', ...remainingText(remaining, Date.now()) };
  if (isPausedByFailures(job))
    return { title: 'Paused', tone: 'warn', detail: `after ${formatCount(job.failed, 'failure')}` };
  const { finishedAt } = job;
  return {
    title: stateLabels[job.state],
    tone: '',
    detail: finishedAt !== null && <Time at={finishedAt} long />,
  };
}

export function Meter({ job }: { job: ReplayJob }) {
  // What is fine comes first, so that the rest is at its end.
  const order = ['ok', 'same', 'skipped', 'different', 'failed'] as const;
  return (
    <div
      class="meter"
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={job.matched}
      aria-valuenow={settledOf(job)}
    >
      {order
        .filter(outcome => job[outcome] > 0)
        .map(outcome => (
          <i key={outcome} class={outcome} style={{ width: `${(100 * job[outcome]) / job.matched}%` }} />
        ))}
    </div>
  );
}

export function JobProgress(props: ProgressProps) {
  const { job } = props;
  const { title, tone, detail } = useJobState(props);
  return (
    <div class="col">
      <div class="row baseline">
        {/* The remaining time is not announced every second. */}
        <p class="grow" role="status" aria-live={job.state === 'running' ? 'off' : 'polite'}>
          <strong class={`job-state ${tone}`}>{title}</strong> <span class="soft">{detail}</span>
        </p>
        <span class="figures soft">
          {settledOf(job).toLocaleString()} of {formatCount(job.matched, 'event')}
        </span>
      </div>
      <Meter job={job} />
      {job.state === 'paused' && (
        <p class="faint">
          {isPausedByFailures(job)
            ? 'Resume to continue; it pauses again after as many.'
            : 'Nothing is sent until you resume it.'}
        </p>
      )}
      <p class="row loose figures soft">
        {outcomesOf(job)
          .filter(outcome => countOf(job, outcome) > 0)
          .map(outcome => (
            <span key={outcome} class={isBad(outcome) ? 'bad' : ''}>
              {countText(job, outcome)}
            </span>
          ))}
      </p>
    </div>
  );
}

const isBad = (outcome: Outcome): boolean => outcome === 'failed' || outcome === 'different';

/** `2 failed`. */
export const countText = (job: ReplayJob, outcome: Outcome): string =>
  `${countOf(job, outcome).toLocaleString()} ${outcomeLabels[outcome].toLowerCase()}`;

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
