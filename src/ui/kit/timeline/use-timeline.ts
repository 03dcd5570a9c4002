/* The timeline of an endpoint's events. The old timeline stays while a new one is loaded. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Timeline } from '../../../features/timeline/model.ts';
import { api, type TimelineRequest } from '../api.ts';
import { useQuery } from '../use-query.ts';
import { type AxisChoice, axisTimes } from './axis.ts';
import { added } from './range.ts';

type Loaded = {
  timeline: Timeline;
  request: TimelineRequest;
  answers: number;
};

type Wanted = { endpointId: string; where: string; axis: AxisChoice; buckets: number };

/** @param news changes when events came or went, at which the timeline is loaded again, but not often; undefined: not known yet */
export function useTimeline({ endpointId, where, axis, buckets }: Wanted, news: string | undefined) {
  const key = `${endpointId} ${axis.from} ${axis.to} ${where}`;
  const query = useQuery<Loaded>(key, async () => {
    const request = { where, buckets, ...axisTimes(axis, Date.now()) };
    return { timeline: await api.timeline(endpointId, request), request, answers: 1 };
  });
  const previous = useRef<Loaded | undefined>(undefined);
  if (query.value) previous.current = query.value;
  const current = useRef(query.value);
  current.current = query.value;
  useSparingReload(news, query.reload, query.value?.timeline.complete === true && query.value.answers === 1);
  return {
    /** Undefined before the first one is there. */
    timeline: previous.current?.timeline,
    /** It is the one before: another filter or axis is being counted. */
    isOld: query.value === undefined,
    problem: query.problem,
    reload: query.reload,
    /** Counts further back, when a search has spent its budget. */
    keepCounting: async (): Promise<void> => {
      const loaded = current.current;
      const cursor = loaded?.timeline.nextCursor;
      if (!loaded || !cursor) return;
      const next = await api.timeline(endpointId, { ...loaded.request, cursor });
      if (current.current !== loaded) return;
      query.set({ ...loaded, timeline: added(loaded.timeline, next), answers: loaded.answers + 1 });
    },
  };
}

const reloadGapMs = 10_000;

/** Reloads when there are news, while the page is visible, and not more often than every ten seconds. */
function useSparingReload(news: string | undefined, reload: () => void, isOn: boolean): void {
  const [loaded, setLoaded] = useState({ news, at: Date.now() });
  const isNews = loaded.news !== undefined && news !== loaded.news;
  useEffect(() => {
    if (loaded.news === undefined && news !== undefined) setLoaded({ news, at: Date.now() });
  }, [news]);
  useEffect(() => {
    if (!isNews || !isOn) return;
    const run = (): void => {
      if (document.hidden || Date.now() < loaded.at + reloadGapMs) return;
      setLoaded({ news, at: Date.now() });
      reload();
    };
    const timer = setTimeout(run, loaded.at + reloadGapMs - Date.now());
    document.addEventListener('visibilitychange', run);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [news, isNews, isOn, loaded]);
}
