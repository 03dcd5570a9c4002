/* The endpoints of the home page. The first page is asked for again every 10 seconds, with the ETag of the last answer. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { OverviewEndpoint } from '../../features/overview/model.ts';
import { api } from '../kit/api.ts';
import { messageOf } from '../kit/toasts.tsx';

const refreshMs = 10_000;
const typingMs = 250;

/** `endpoints`: undefined until the first page of this search is loaded. `loadedAt`: when it was, epoch ms. */
type Shown = {
  endpoints: readonly OverviewEndpoint[] | undefined;
  q: string;
  total: number;
  nextCursor: string | null;
  loadedAt: number;
  problem: string;
};
const nothing: Omit<Shown, 'q'> = { endpoints: undefined, total: 0, nextCursor: null, loadedAt: 0, problem: '' };

export function useOverview(q: string) {
  const [shown, setShown] = useState<Shown>({ ...nothing, q });
  const latestQ = useRef(q);
  latestQ.current = q;
  /** The ETag of the first page, and the search to which it belongs. */
  const known = useRef<{ q: string; etag: string | undefined }>({ q, etag: undefined });

  const load = useCallback(async (cursor?: string): Promise<void> => {
    const asked = latestQ.current;
    const isRepeated = cursor === undefined && known.current.q === asked;
    try {
      const { page, etag } = await api.overview(asked, cursor, isRepeated ? known.current.etag : undefined);
      if (latestQ.current !== asked) return;
      if (cursor === undefined) known.current = { q: asked, etag };
      const loadedAt = Date.now();
      setShown(old => {
        if (!page) return { ...old, loadedAt, problem: '' };
        const before = old.endpoints ?? [];
        const isMore = cursor !== undefined;
        // A longer list keeps its other endpoints, so that nothing vanishes while a user reads it.
        const isLonger = isRepeated && before.length > page.endpoints.length && old.total === page.total;
        const fresh = new Set(page.endpoints.map(({ id }) => id));
        // Endpoints with troubles come first: if the page has one without, those behind it have none.
        const hasAllTroubles = page.endpoints.some(({ troubles }) => troubles.length === 0);
        const others = before
          .filter(({ id }) => !fresh.has(id))
          .map(one => (hasAllTroubles && !isMore ? { ...one, troubles: [] } : one));
        const endpoints = isMore
          ? [...others, ...page.endpoints]
          : isLonger
            ? [...page.endpoints, ...others]
            : page.endpoints;
        const nextCursor = isLonger ? old.nextCursor : page.nextCursor;
        const at = isMore ? old.loadedAt : loadedAt;
        return { endpoints, q: asked, total: page.total, nextCursor, loadedAt: at, problem: isMore ? old.problem : '' };
      });
    } catch (error) {
      if (latestQ.current !== asked) return;
      // A button below the list has asked for more, and reports it there.
      if (cursor !== undefined) throw error;
      if (known.current.q !== asked) known.current = { q: asked, etag: undefined };
      // Rows of another search are not what this one has found.
      setShown(old => ({ ...(old.q === asked ? old : { ...nothing, q: asked }), problem: messageOf(error) }));
    }
  }, []);

  useEffect(() => {
    const refresh = (): void => void (document.hidden || load());
    const first = setTimeout(load, known.current.etag === undefined ? 0 : typingMs);
    const timer = setInterval(refresh, refreshMs);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [q]);

  const { nextCursor } = shown;
  return { ...shown, reload: () => void load(), showMore: async () => nextCursor && load(nextCursor) };
}
