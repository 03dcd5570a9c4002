/* Loads something again and again while it changes and the page is visible. */

import { useEffect } from 'preact/hooks';
import { type Query, useQuery } from './use-query.ts';

const oneSecondMs = 1000;

/** @param isChanging of the loaded value: whether it is worth looking again @param everyMs how soon */
export function usePolled<T>(
  key: string,
  load: () => Promise<T>,
  isChanging: (value: T) => boolean,
  everyMs: (value: T) => number = () => oneSecondMs,
): Query<T> {
  const query = useQuery(key, load);
  const { value, reload } = query;
  const isOn = value !== undefined && isChanging(value);
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => !document.hidden && reload(), everyMs(value));
    document.addEventListener('visibilitychange', reload);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', reload);
    };
  }, [value, isOn]);
  return query;
}
