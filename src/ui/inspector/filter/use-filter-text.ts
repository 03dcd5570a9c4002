/*
 * The text of the search box. What is typed becomes the filter after a short pause, if it is one. A text that is not a filter yet is
 * not called wrong before a longer pause, or before its author leaves the box or presses Enter.
 */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FilterError } from '../../../shared/filter/filter.ts';
import type { FilterChange } from './filter-control.ts';
import { parse } from './filter-text.ts';

const applyDelayMs = 250;
/** While a value is being chosen: half of it would find nothing. */
const choosingDelayMs = 900;
const settleDelayMs = 1200;

export type FilterText = {
  type: (text: string) => void;
  /** Makes the text the filter now, or shows what is wrong with it. */
  commit: (text?: string) => void;
  /** Applies the filter on Enter, and also opens the newest event that is found. */
  submit: (text: string) => void;
  /** What is wrong with the text, when it is time to say so. */
  problem: FilterError | undefined;
  /** The box has the focus: the changes from now on are one step back in the browser's history. */
  begin: () => void;
};

type FilterTextOptions = {
  where: string;
  text: string;
  setText: (text: string) => void;
  onFilter: (where: string, change: FilterChange) => void;
  /** Suggestions for a value are open. */
  isChoosing: boolean;
};

export function useFilterText({ where, text, setText, onFilter, isChoosing }: FilterTextOptions): FilterText {
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

  const problem = useMemo(() => problemOf(text), [text]);
  const apply = (next: string, opensNewest = false): void => {
    const trimmed = next.trim();
    const isSame = trimmed === applied.current;
    if ((isSame && !opensNewest) || problemOf(next)) return;
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
    type: next => {
      setText(next);
      setIsSettled(false);
    },
    commit: (next = text) => finish(next, false),
    submit: next => finish(next, true),
    problem: isSettled ? problem : undefined,
    begin: () => {
      hasStep.current = false;
    },
  };
}

const problemOf = (text: string): FilterError | undefined => {
  const parsed = parse(text);
  return parsed instanceof FilterError ? parsed : undefined;
};
