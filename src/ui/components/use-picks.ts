/* The events of the list whose checkbox is ticked. */

import { useMemo, useState } from 'preact/hooks';
import type { LiveList } from '../live/live-list.ts';

export type Picks = ReturnType<typeof usePicks>;

/** `pickedIds` has them oldest first, the order in which they are replayed. */
export function usePicks(list: LiveList, length: number) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const togglePick = (id: string): void => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  const unpick = (id: string): void => setPicked(new Set([...picked].filter(one => one !== id)));
  const clearPicks = (): void => setPicked(new Set());
  const pickedIds = useMemo(
    () => [...picked].sort((a, b) => list.indexOf(b) - list.indexOf(a)),
    [picked, list, length],
  );
  return { picked, pickedIds, togglePick, unpick, clearPicks };
}
