/* The events of a forward in one state, oldest first. The first page is read again whenever the forward was looked at. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Forward, ForwardDelivery } from '../../features/forwards/model.ts';
import { type DeliveryState, forwardsApi } from './forwards-api.ts';

const pageSize = 50;

export type DeliveryList = {
  /** Undefined until they are loaded. */
  rows: readonly ForwardDelivery[] | undefined;
  hasMore: boolean;
  /** More than a page: it does not follow by itself. */
  isLong: boolean;
  problem: string;
  more: () => Promise<void>;
  refresh: () => Promise<void>;
  /** Takes an event off the list that has left it. */
  drop: (eventId: string) => void;
};

type Loaded = { rows: ForwardDelivery[]; cursor: string | null };

export function useDeliveries(endpointId: string, forward: Forward, state: DeliveryState): DeliveryList {
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState('');
  const latest = useRef(0);
  const load = async (before: Loaded | undefined): Promise<void> => {
    const turn = ++latest.current;
    const options = { limit: pageSize, ...(before?.cursor && { cursor: before.cursor }) };
    try {
      const page = await forwardsApi.deliveries(endpointId, forward.id, state, options);
      if (turn !== latest.current) return;
      const known = new Set(before?.rows.map(({ eventId }) => eventId));
      const added = page.deliveries.filter(({ eventId }) => !known.has(eventId));
      setLoaded({ rows: [...(before?.rows ?? []), ...added], cursor: page.nextCursor });
      setProblem('');
    } catch (error) {
      if (turn === latest.current) setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const isLong = (loaded?.rows.length ?? 0) > pageSize;
  useEffect(() => {
    if (!isLong) void load(undefined);
  }, [forward]);
  return {
    rows: loaded?.rows,
    hasMore: loaded !== undefined && loaded.cursor !== null,
    isLong,
    problem,
    more: () => load(loaded),
    refresh: () => load(undefined),
    drop: eventId => {
      // A page that is being read may still have it.
      latest.current++;
      setLoaded(old => old && { ...old, rows: old.rows.filter(one => one.eventId !== eventId) });
    },
  };
}
