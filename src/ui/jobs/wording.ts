/* The texts of the pages about a job. */

import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import type { Outcome } from '../inspector/replay/jobs-api.ts';

export const stateLabels: Record<ReplayJob['state'], string> = {
  running: 'Running',
  paused: 'Paused',
  done: 'Done',
  cancelled: 'Cancelled',
};
export const stateTones: Record<ReplayJob['state'], string> = {
  running: 'info',
  paused: 'warn',
  done: 'good',
  cancelled: 'muted',
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

/** How many events of a job have an outcome. */
export const countOf = (job: ReplayJob, outcome: Outcome): number =>
  outcome === 'waiting' ? job.matched - settledOf(job) : job[outcome];

/** The possible outcomes of a job of this kind, the ones that need attention first. */
export const outcomesOf = ({ dest2 }: Pick<ReplayJob, 'dest2'>): Outcome[] =>
  dest2 === null ? ['failed', 'ok', 'skipped', 'waiting'] : ['different', 'failed', 'same', 'skipped', 'waiting'];

export function paceText({ pace }: Pick<ReplayJob, 'pace'>): string {
  if (pace === null) return 'as fast as possible';
  if (pace === 'original') return 'original timing';
  if (pace.startsWith('original*')) return `${pace.slice('original*'.length)} × original speed`;
  return `${pace.replace('/s', '')} per second`;
}
