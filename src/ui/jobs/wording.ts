/* The texts of the pages about a job. */

import type { ReplayJob, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import { formatGap } from '../inspector/event/answered.ts';
import type { Outcome } from '../inspector/replay/jobs-api.ts';
import { statusText } from '../inspector/replay/status-text.ts';
import { formatCount, formatTimeOfDay } from '../kit/format/time.ts';

export const stateLabels: Record<ReplayJob['state'], string> = {
  running: 'Running',
  paused: 'Paused',
  done: 'Done',
  cancelled: 'Cancelled',
};
export const outcomeLabels: Record<Outcome, string> = {
  waiting: 'Waiting',
  ok: 'Accepted',
  failed: 'Failed',
  skipped: 'Skipped',
  same: 'Same',
  different: 'Different',
};

export const isOver = ({ state }: Pick<ReplayJob, 'state'>): boolean => state === 'done' || state === 'cancelled';

export const settledOf = ({ ok, failed, skipped, same, different }: ReplayJob): number =>
  ok + failed + skipped + same + different;

export const countOf = (job: ReplayJob, outcome: Outcome): number =>
  outcome === 'waiting' ? job.matched - settledOf(job) : job[outcome];

/** `743 events to localhost:4699`. */
export const jobTitle = ({ matched, dest, dest2 }: Pick<ReplayJob, 'matched' | 'dest' | 'dest2'>): string =>
  `${formatCount(matched, 'event')} to ${[dest, ...(dest2 === null ? [] : [dest2])].map(hostOf).join(' and ')}`;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** How much of a job has an outcome, rounded down, so that 100 means all. */
export const percentOf = (job: ReplayJob): number =>
  job.matched === 0 ? 100 : Math.floor((100 * settledOf(job)) / job.matched);

/** In ms. */
export type Remaining = number | 'estimating' | 'stalled';

export function remainingText(remaining: Remaining, now: number): { title: string; detail: string } {
  if (remaining === 'estimating') return { title: 'Estimating…', detail: '' };
  if (remaining === 'stalled') return { title: 'Still running', detail: 'nothing finished in the last 20 s' };
  return {
    title: `${formatGap(Math.max(1000, remaining))} left`,
    detail: `done at about ${formatTimeOfDay(now + remaining, now)}`,
  };
}

/** Whether its failures have paused a job, and not a person. */
export const isPausedByFailures = ({ state, stopAfter, failed }: ReplayJob): boolean =>
  state === 'paused' && stopAfter !== null && failed >= stopAfter;

/** The possible outcomes of a job of this kind, the ones that need attention first. */
export const outcomesOf = ({ dest2 }: Pick<ReplayJob, 'dest2'>): Outcome[] =>
  dest2 === null ? ['failed', 'ok', 'skipped', 'waiting'] : ['different', 'failed', 'same', 'skipped', 'waiting'];

export function paceText({ pace }: Pick<ReplayJob, 'pace'>): string {
  if (pace === null) return 'as fast as possible';
  if (pace === 'original') return 'original timing';
  if (pace.startsWith('original*')) return `${pace.slice('original*'.length)} × original speed`;
  return `${pace.replace('/s', '')} per second`;
}

/** What came back for an event of a job, and how it looks. */
export function responseOf({ dest2 }: Pick<ReplayJob, 'dest2'>, { outcome, status, status2, error }: ReplayJobItem) {
  if (outcome === 'waiting')
    return status === null
      ? { text: 'not sent yet', tone: 'faint' }
      : { text: `${statusText(status)}, will be retried`, tone: 'warn' };
  if (outcome === 'skipped') return { text: ['Skipped', error].filter(Boolean).join(': '), tone: 'faint' };
  const tone = outcome === 'failed' || outcome === 'different' ? 'bad' : 'soft';
  if (dest2 !== null) return { text: `${statusText(status)} | ${statusText(status2)}`, tone };
  if (status === null && error !== null) return { text: error.charAt(0).toUpperCase() + error.slice(1), tone };
  return { text: statusText(status), tone };
}
