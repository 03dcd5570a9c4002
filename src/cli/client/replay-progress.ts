/* Watches a replay job until it ends or is paused. If the server restarts, it waits: the job then continues. */
import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import { type Io, UnreachableError } from '../io.ts';
import { createProgress } from '../progress.ts';
import type { Api } from './api.ts';
import { safeLine } from './output.ts';

const firstPollMs = 100;
const maxPollMs = 1000;
const lineEveryMs = 5000;
const patienceMs = 60_000;

export const settledOf = ({ ok, failed, skipped, same, different }: ReplayJob): number =>
  ok + failed + skipped + same + different;

/** `118 ok, 2 failed`; outcomes without events are left out. */
export function outcomesText({ ok, failed, skipped, same, different, finishedAt }: ReplayJob): string {
  const counts = { ok, same, different, failed, skipped };
  const parts = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? `${count} ${name}` : []));
  if (parts.length > 0) return parts.join(', ');
  return finishedAt === null ? 'nothing sent yet' : 'nothing sent';
}

export const jobPath = (id: string): string => `/api/replay-jobs/${encodeURIComponent(id)}`;

/** @returns the last known state; `isLeft`: the user pressed Ctrl+C @throws UnreachableError after a minute */
export async function followJob(io: Io, api: Api, created: ReplayJob): Promise<{ job: ReplayJob; isLeft: boolean }> {
  const progress = createProgress(io, created.matched);
  const startedMs = io.clock.monotonic();
  const settledBefore = settledOf(created);
  const left = io.untilSignal().then(() => 'left' as const);
  let job = created;
  let awaySinceMs: number | undefined;
  let saidMs = startedMs;
  let said = settledBefore;

  const show = (): void => {
    const nowMs = io.clock.monotonic();
    const settled = settledOf(job);
    const perSecond = ((settled - settledBefore) * 1000) / Math.max(1, nowMs - startedMs);
    const away = awaySinceMs === undefined ? '' : ', server unreachable, retrying';
    const pace = settled > settledBefore ? `, ${perSecond.toFixed(1)}/s` : '';
    progress.show(settled, `${settled} of ${job.matched}: ${outcomesText(job)}${pace}${away}`);
    if (io.isTerminal || settled === said || nowMs - saidMs < lineEveryMs) return;
    [saidMs, said] = [nowMs, settled];
    io.stderr(`${settled} of ${job.matched}: ${outcomesText(job)}\n`);
  };
  const read = async (): Promise<void> => {
    try {
      job = await api.call<ReplayJob>('GET', jobPath(created.id));
      awaySinceMs = undefined;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      awaySinceMs ??= io.clock.monotonic();
      if (io.clock.monotonic() - awaySinceMs >= patienceMs)
        throw new UnreachableError(`${error.message}; ${safeLine(created.id)} continues when the server is back`);
    }
  };

  try {
    for (let pollMs = firstPollMs; job.state === 'running'; pollMs = Math.min(maxPollMs, pollMs * 1.5)) {
      show();
      if ((await Promise.race([left, io.sleep(pollMs)])) === 'left') return { job, isLeft: true };
      await read();
    }
    return { job, isLeft: false };
  } finally {
    progress.clear();
  }
}
