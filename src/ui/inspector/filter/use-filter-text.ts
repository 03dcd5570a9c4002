/* What is typed becomes the filter after a short pause; a text that is no filter is called wrong after a longer one, or on leaving the box. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FilterChange } from './filter-control.ts';
import { problemIn } from './filter-text.ts';

const applyDelayMs = 250;
/** While a value is being chosen: half of it would find nothing. */
const choosingDelayMs = 900;
const settleDelayMs = 1200;

type FilterTextOptions = {
  where: string;
  text: string;
  setText: (text: string) => void;
  onFilter: (where: string, change: FilterChange) => void;
  isChoosing: boolean;
};

export function useFilterText({ where, text, setText, onFilter, isChoosing }: FilterTextOptions) {
  const [isSettled, setIsSettled] = useState(true);
  const applied = useRef(where);
  const hasStep = useRef(false);
  const latest = useRef({ text, onFilter });
  latest.current = { text, onFilter };

  // The filter was changed elsewhere: by a chip, a tab, or back and forward.
  useEffect(() => {
    if (where === applied.current) return;
    applied.current = where;
    // A timer that runs before the next render must not bring the old text back.
    latest.current.text = where;
    setText(where);
    setIsSettled(true);
  }, [where]);

  const problem = useMemo(() => problemIn(text), [text]);
  const apply = (next: string, opensNewest = false): void => {
    const trimmed = next.trim();
    const isSame = trimmed === applied.current;
    if ((isSame && !opensNewest) || problemIn(next)) return;
    applied.current = trimmed;
    latest.current.onFilter(trimmed, { isStep: !isSame && !hasStep.current, opensNewest });
    hasStep.current ||= !isSame;
  };

  useEffect(() => {
    const timers = [
      setTimeout(() => latest.current.text === text && apply(text), isChoosing ? choosingDelayMs : applyDelayMs),
      isChoosing ? undefined : setTimeout(setIsSettled, settleDelayMs, true),
    ];
    return () => timers.forEach(clearTimeout);
  }, [text, isChoosing]);

  const finish = (next: string, opensNewest: boolean): void => {
    setText(next);
    setIsSettled(true);
    apply(next, opensNewest);
  };

  return {
    type(next: string): void {
      setText(next);
      setIsSettled(false);
    },
    /** Makes the text the filter now, or shows what is wrong with it. */
    commit: (next = text): void => finish(next, false),
    /** Applies the filter on Enter, and also opens the newest event that is found. */
    submit: (next: string): void => finish(next, true),
    /** What is wrong with the text, when it is time to say so. */
    problem: isSettled ? problem : undefined,
    /** The box has the focus: the changes from now on are one step back in the browser's history. */
    begin(): void {
      hasStep.current = false;
    },
  };
}
