/* The values that the search box suggests. The schemas are read when the box is first used; without them, the rows have to do. */

import { useCallback, useRef, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import type { LiveList } from '../live/live-list.ts';
import { type SeenType, type SeenValues, seenValues } from './seen-values.ts';

/** Rows besides the newest are not looked through. */
const maxRows = 500;

export type SeenSource = {
  /** Loads what is not there yet. */
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
