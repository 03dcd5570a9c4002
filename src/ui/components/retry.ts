/* Trying again by itself while the server is away: soon at first, then more and more seldom. */

import { useEffect, useRef } from 'preact/hooks';

const firstDelayMs = 500;
const maxDelayMs = 15_000;

/** How long to wait after this many failures in a row, 1 or more. */
export const retryDelayMs = (failures: number): number => Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);

/** Calls `again` after each failure in a row, until `failures` is 0. */
export function useRetry(failures: number, again: () => void): void {
  const current = useRef(again);
  current.current = again;
  useEffect(() => {
    if (failures === 0) return;
    const timer = setTimeout(() => current.current(), retryDelayMs(failures));
    return () => clearTimeout(timer);
  }, [failures]);
}
