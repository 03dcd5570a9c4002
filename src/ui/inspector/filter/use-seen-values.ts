/* The values that the search box suggests. The schemas are read when the box is first used; without them, the rows have to do. */

import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import type { LiveList } from '../live/live-list.ts';
import { type SeenSources, type SeenType, type SeenValues, seenValues } from './seen-values.ts';

/** Rows besides the newest are not looked through. */
const maxRows = 500;

export type SeenSource = {
  load: () => void;
  /** Reads what there is now, which takes some milliseconds. Another function when there are other values. */
  read: () => SeenValues;
};

export function useSeenValues(endpointId: string, list: LiveList, event: EventDetail | undefined): SeenSource {
  const [schemas, setSchemas] = useState<readonly SeenType[]>([]);
  const isAsked = useRef(false);
  const load = useCallback((): void => {
    if (isAsked.current) return;
    isAsked.current = true;
    api.schemas(endpointId).then(setSchemas, () => {
      isAsked.current = false;
    });
  }, [endpointId]);
  const read = useCallback((): SeenValues => {
    const rows: EventSummary[] = [];
    for (let row = list.at(0); row && rows.length < maxRows; row = list.at(rows.length)) rows.push(row);
    return seenValues({ schemas, rows, event });
  }, [list, schemas, event]);
  return { load, read };
}

/** Events have none when they are stored. */
export const withoutMarks: readonly string[] = ['tag', 'is'];
const newest = 50;
const nothing: SeenSources = { schemas: [], rows: [], event: undefined };

export function useSeen(endpointId: string): SeenSource {
  const [sources, setSources] = useState<SeenSources>();
  const load = useCallback((): void => {
    setSources(old => {
      if (!old) void loadSources(endpointId).then(setSources, () => setSources(undefined));
      return old ?? nothing;
    });
  }, [endpointId]);
  const read = useCallback(() => seenValues(sources ?? nothing), [sources]);
  return useMemo(() => ({ load, read }), [load, read]);
}

async function loadSources(endpointId: string): Promise<SeenSources> {
  const [schemas, { events }] = await Promise.all([
    api.schemas(endpointId),
    api.events(endpointId, undefined, '', { limit: newest }),
  ]);
  const [first] = events;
  return { schemas, rows: events, event: first && (await api.event(first.id)) };
}
