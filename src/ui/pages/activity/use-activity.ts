/* What the page Activity shows, as its URL keeps it: the period of the axis, and the filter with the range in it. */

import { useEffect, useReducer } from 'preact/hooks';
import { filterOf } from '../../inspector/filter/filter-url.ts';
import { search } from '../../kit/api.ts';
import { navigate } from '../../kit/navigation.tsx';
import { type AxisChoice, readAxis } from '../../kit/timeline/axis.ts';

const defaultAxis: AxisChoice = { from: '24h', to: '' };
const tickMs = 30_000;

export type Activity = ReturnType<typeof useActivity>;

export function useActivity(endpointId: string, query: URLSearchParams) {
  const where = filterOf(query);
  const chosen = readAxis(query);
  const axis = chosen.from === '' ? defaultAxis : chosen;
  const go = (next: { where: string; axis: AxisChoice }, isStep = true): void => {
    const { from, to } = next.axis;
    const written = search({ where: next.where.trim(), from: from === defaultAxis.from ? '' : from, to });
    navigate(`/app/endpoints/${encodeURIComponent(endpointId)}/activity${written}`, { replace: !isStep });
  };
  return {
    endpointId,
    where,
    axis,
    setWhere: (next: string, change?: { isStep: boolean }) => go({ where: next, axis }, change?.isStep),
    setAxis: (next: AxisChoice) => go({ where, axis: next }),
    /** Changes now and then while the page is visible: numbers are read again. */
    tick: useTick(axis.to === ''),
  };
}

function useTick(isOn: boolean): number {
  const [tick, next] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => !document.hidden && next(undefined), tickMs);
    return () => clearInterval(timer);
  }, [isOn]);
  return tick;
}
