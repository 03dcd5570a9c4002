/* Trying again by itself while the server is away: soon at first, then more and more seldom. */

import { useEffect, useRef } from 'preact/hooks';

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** How long to wait after this many failures in a row, 1 or more. */
export const pauseMs = (failures: number): number => Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);

/** Calls `again` after each failure in a row, until `failures` is 0. */
export function useRetry(failures: number, again: () => void): void {
  const current = useRef(again);
  current.current = again;
  useEffect(() => {
    if (failures === 0) return;
    const timer = setTimeout(() => current.current(), pauseMs(failures));
    return () => clearTimeout(timer);
  }, [failures]);
}
