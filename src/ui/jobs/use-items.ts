/* The items of a job, page by page. While the job runs, the shown pages are loaded again whenever the number of these items changes. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReplayJob, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import { jobsApi, type Outcome } from '../inspector/replay/jobs-api.ts';
import { messageOf } from '../kit/toasts.tsx';
import { countOf, isOver, settledOf } from './wording.ts';

/** For each page that is read again: the page of the job itself takes a request a second of the rate limit. */
const rereadEveryMs = 2000;

type Loaded = {
  items: readonly ReplayJobItem[];
  cursor: string | null;
  pages: number;
  /** The job’s count when these items were read. */
  count: number;
  isOver: boolean;
  /** Epoch ms. */
  readAt: number;
};

/** Give the component a key with the job and the outcome. */
export function useItems(job: ReplayJob, outcome: Outcome | undefined) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState('');
  const latest = useRef(0);
  const count = outcome === undefined ? settledOf(job) : countOf(job, outcome);

  /** Reads on after these, or from the beginning. */
  const read = async (pages: number, before?: Loaded): Promise<void> => {
    const turn = ++latest.current;
    const next: Loaded = {
      items: [],
      cursor: null,
      pages: 0,
      ...before,
      count,
      isOver: isOver(job),
      readAt: Date.now(),
    };
    try {
      do {
        const page = await jobsApi.items(job.id, outcome, next.cursor ?? undefined);
        next.items = [...next.items, ...page.items];
        next.cursor = page.nextCursor;
        next.pages++;
      } while (next.cursor !== null && next.pages < pages);
      if (turn === latest.current) setLoaded(next);
      if (turn === latest.current) setProblem('');
    } catch (error) {
      if (turn === latest.current) {
        setProblem(messageOf(error));
        // The next try is as long after this one as after a read that succeeded.
        setLoaded(shown => shown && { ...shown, readAt: Date.now() });
      }
    }
  };

  const isStale = loaded !== undefined && (loaded.count !== count || loaded.isOver !== isOver(job));
  useEffect(() => {
    if (!loaded) return void read(1);
    if (!isStale) return;
    const dueAt = isOver(job) && problem === '' ? 0 : loaded.readAt + rereadEveryMs * loaded.pages;
    const timer = setTimeout(() => read(loaded.pages), Math.max(0, dueAt - Date.now()));
    return () => clearTimeout(timer);
  }, [loaded, count, isOver(job)]);

  return {
    query: { value: loaded?.items, problem, reload: () => void read(1) },
    hasMore: loaded !== undefined && loaded.cursor !== null,
    more: async (): Promise<void> => {
      if (loaded) await read(loaded.pages + 1, loaded);
    },
  };
}
