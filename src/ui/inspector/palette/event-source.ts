/* The events that the command palette finds without asking the server: the loaded rows of the list, while it is shown. */

import { useEffect, useRef } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import type { LiveList } from '../live/live-list.ts';

const maxRows = 2000;

export type EventSource = { rows: () => EventSummary[]; hrefOf: (id: string) => string };

let current: (() => EventSource) | undefined;

export const loadedEvents = (): EventSource | undefined => current?.();

export function useEventSource(list: LiveList, hrefOf: (id: string) => string): void {
  const latest = useRef({ list, hrefOf });
  latest.current = { list, hrefOf };
  useEffect(() => {
    const read = (): EventSource => ({ rows: () => rowsOf(latest.current.list), hrefOf: latest.current.hrefOf });
    current = read;
    return () => {
      if (current === read) current = undefined;
    };
  }, []);
}

function rowsOf(list: LiveList): EventSummary[] {
  const rows: EventSummary[] = [];
  for (let row = list.at(0); row && rows.length < maxRows; row = list.at(rows.length)) rows.push(row);
  return rows;
}
