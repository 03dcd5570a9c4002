/* The picked events, kept in the URL, or all that match, which is fixed at the newest event of that moment and ends with another filter. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { formatCount } from '../../kit/format/time.ts';
import { currentLocation, navigate } from '../../kit/navigation.tsx';
import { showError, showToast } from '../../kit/toasts.tsx';
import { useActions, useHotkeys } from '../../kit/use-hotkeys.ts';
import { countMatching, type Matching, matchingUntil } from '../bulk/matching.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import { setInspectorState, useInspectorState } from '../state/inspector-state.ts';

/** More are picked with "all that match". */
export const maxPicked = 1000;

type PicksOptions = {
  list: LiveList;
  state: LiveListState;
  endpointId: string;
  where: string;
  eventId: string;
  /** The row of the open event; -1 when it is not in the list. */
  index: number;
};

export type AllPicked = Matching & { /** Undefined while they are counted. */ count: number | undefined };

export type Picks = ReturnType<typeof usePicks>;

export function usePicks({ list, state, endpointId, where, eventId, index }: PicksOptions) {
  const { picked: ids } = useInspectorState();
  const picked = useMemo<ReadonlySet<string>>(() => new Set(ids), [ids]);
  const pickedIds = useMemo(() => oldestFirst(list, picked), [list, picked, state.length, state.arrivalCount]);
  const { all, selectAll, clearAll } = useAllPicked({ list, endpointId, where });
  const range = usePickRange(list);

  const setPicked = (next: ReadonlySet<string>): void => {
    clearAll();
    if (next.size > maxPicked) {
      showToast(`You can select up to ${formatCount(maxPicked, 'event')}. For more, use Select all that match.`);
      return;
    }
    setInspectorState({ picked: [...next] });
  };
  const togglePick = (id: string): void => {
    // There is no "all but one".
    if (all) {
      setPicked(new Set());
      return;
    }
    const next = new Set(picked);
    const isOn = !next.delete(id);
    if (isOn) next.add(id);
    range.begin(id, next);
    setPicked(next);
  };
  /** From the event that was picked last, else the open one. */
  const pickTo = (id: string): void => {
    const next = range.extend(id, picked, eventId);
    if (next) setPicked(next);
    else togglePick(id);
  };
  const step = (by: number) => (): boolean | undefined => {
    const next = list.at(index + by);
    if (index < 0 || !next || index + by < 0) return false;
    void list.loadTo(index + 20);
    pickTo(next.id);
    const { path, query } = currentLocation();
    navigate(`${path.replace(/[^/]*$/, next.id)}?${query}`, { replace: true });
    return undefined;
  };
  useHotkeys(
    {
      X: { label: 'Select up to the open event', run: () => pickTo(eventId), isOff: eventId === '' },
      J: { label: 'Extend the selection down', run: step(1), repeats: true, isKeyOnly: true },
      K: { label: 'Extend the selection up', run: step(-1), repeats: true, isKeyOnly: true },
    },
    'List',
  );
  useActions([{ label: 'Select all that match', run: selectAll, isOff: state.length === 0 }]);

  return {
    picked,
    pickedIds,
    all,
    isPicking: picked.size > 0 || all !== undefined,
    isPicked: (event: EventSummary): boolean => (all ? event.receivedAt <= all.until : picked.has(event.id)),
    onPick: (id: string, isRange: boolean): void => (isRange ? pickTo(id) : togglePick(id)),
    togglePick,
    selectAll,
    unpick: (id: string): void => {
      if (picked.has(id)) setPicked(new Set([...picked].filter(one => one !== id)));
    },
    clearPicks: (): void => setPicked(new Set()),
  };
}

/** The order in which they are replayed. Events that are not in the list come first, because most of them are older. */
function oldestFirst(list: LiveList, picked: ReadonlySet<string>): string[] {
  if (picked.size === 0) return [];
  const rows: EventSummary[] = [];
  const { length } = list.state();
  for (let at = length - 1; at >= 0; at--) {
    const row = list.at(at);
    if (row && picked.has(row.id)) rows.push(row);
  }
  const listed = rows.sort((a, b) => a.receivedAt - b.receivedAt).map(({ id }) => id);
  const known = new Set(listed);
  return [...[...picked].filter(id => !known.has(id)), ...listed];
}

/** A range goes from the event that was picked last; what was picked before it stays, when the range grows and when it shrinks. */
function usePickRange(list: LiveList) {
  const start = useRef<{ id: string; before: ReadonlySet<string> }>(undefined);
  return {
    begin(id: string, before: ReadonlySet<string>): void {
      start.current = { id, before };
    },
    /** Undefined when there is nothing to begin at. */
    extend(id: string, picked: ReadonlySet<string>, openId: string): ReadonlySet<string> | undefined {
      if (!start.current || list.indexOf(start.current.id) < 0 || picked.size === 0)
        start.current = { id: openId, before: picked };
      const [from, to] = [list.indexOf(start.current.id), list.indexOf(id)];
      if (from < 0 || to < 0) return undefined;
      const next = new Set(start.current.before);
      for (let at = Math.min(from, to); at <= Math.max(from, to); at++) {
        const one = list.at(at);
        if (one) next.add(one.id);
      }
      return next;
    },
  };
}

function useAllPicked({ list, endpointId, where }: Pick<PicksOptions, 'list' | 'endpointId' | 'where'>) {
  const [all, setAll] = useState<AllPicked>();
  const counting = useRef<AbortController>(undefined);
  const clearAll = (): void => {
    counting.current?.abort();
    setAll(undefined);
  };
  useEffect(() => clearAll, [endpointId, where]);

  const selectAll = async (): Promise<void> => {
    const newestAt = newestIn(list);
    if (newestAt === undefined) return;
    clearAll();
    const controller = new AbortController();
    counting.current = controller;
    const matching = matchingUntil(endpointId, where, newestAt);
    setAll({ ...matching, count: undefined });
    setInspectorState({ picked: [] });
    try {
      const count = await countMatching(matching, controller.signal);
      if (!controller.signal.aborted) setAll({ ...matching, count });
    } catch (error) {
      if (controller.signal.aborted) return;
      setAll(undefined);
      showError(error);
    }
  };
  return { all, selectAll, clearAll };
}

/** When the newest row was received: the first one, unless hits are grouped. */
function newestIn(list: LiveList): number | undefined {
  const { length, wholeCount } = list.state();
  const rows = Array.from({ length: wholeCount === undefined ? Math.min(1, length) : length }, (_, at) => list.at(at));
  return rows.length === 0 ? undefined : Math.max(...rows.map(row => row?.receivedAt ?? 0));
}
