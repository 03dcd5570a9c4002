/* Automatic retries with exponential backoff. */

import { useEffect, useRef } from 'preact/hooks';

const firstDelayMs = 500;
const maxDelayMs = 15_000;

/** The delay after `failures` failures in a row (at least 1). */
export const retryDelayMs = (failures: number): number => Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);

/** Calls `retry` after a delay whenever `failures` increases; 0 stops it. */
export function useRetry(failures: number, retry: () => void): void {
  const current = useRef(retry);
  current.current = retry;
  useEffect(() => {
    if (failures === 0) return;
    const timer = setTimeout(() => current.current(), retryDelayMs(failures));
    return () => clearTimeout(timer);
  }, [failures]);
}
