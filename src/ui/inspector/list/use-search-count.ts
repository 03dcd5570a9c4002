/* How many events a search has found. The list knows it when it has all of them; else the server is asked once. */

import { useMemo, useRef } from 'preact/hooks';
import { api } from '../../kit/api.ts';
import { useQuery } from '../../kit/use-query.ts';
import { searchOf } from '../find-in-body/search-terms.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import { type Found, type FoundWords, foundSentence } from './found-sentence.ts';

type SearchCountOptions = {
  endpointId: string;
  where: string;
  isFolded: boolean;
  list: LiveList;
  state: LiveListState;
};

/** Undefined when nothing was searched for or found. */
export function useSearchCount(options: SearchCountOptions): FoundWords | undefined {
  const { endpointId, where, isFolded, list, state } = options;
  const search = useMemo(() => searchOf(where), [where]);
  const isShown = search.looksInside && state.phase === 'ready' && state.length > 0;
  const listed = isShown ? countListed(list, state, isFolded) : undefined;
  const isAsked = isShown && !listed?.isComplete;
  const latest = useRef(state);
  latest.current = state;
  const { value: counted } = useQuery(isAsked ? `${endpointId} ${where}` : '', async () => {
    if (!isAsked) return undefined;
    const { count, nextCursor } = await api.countEvents(endpointId, where);
    return { count, isComplete: nextCursor === null, arrivals: latest.current.arrivalCount };
  });
  const found = counted ? { ...counted, count: counted.count + state.arrivalCount - counted.arrivals } : listed;
  return isShown && found ? foundSentence(found, search) : undefined;
}

/** Undefined if a row represents several events, not all of which need to match. */
function countListed(list: LiveList, { length, hasMore }: LiveListState, isFolded: boolean): Found | undefined {
  // The first rows decide: a long list is counted by the server anyway.
  const rows = Array.from({ length: Math.min(length, 100) }, (_, at) => list.at(at));
  if (isFolded && rows.some(row => row && row.delivery.attempts > 1)) return undefined;
  return { count: length, isComplete: !hasMore && (!isFolded || length <= rows.length) };
}
