/* The drawing of a chart: one SVG, stretched to its box without script, with one path for each series. Labels are HTML. */

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Timeline } from '../../../features/timeline/model.ts';
import { stackPaths, ticksOf } from './scale.ts';
import { countedBackTo, seriesClasses, stackOf } from './words.ts';

type DrawingProps = {
  count: number;
  paths: readonly (readonly [kind: string, path: string])[];
  children?: ComponentChildren;
};

export const Drawing = ({ count, paths, children }: DrawingProps) => (
  <>
    {children}
    <svg viewBox={`0 0 ${count} 100`} preserveAspectRatio="none" aria-hidden="true">
      {paths.map(([kind, path]) => path !== '' && <path key={kind} class={kind} d={path} />)}
    </svg>
    <div class="chart-baseline" />
  </>
);

/** The stacked bars of a timeline; hatched where an unfinished search has not counted yet. */
export function Bars({ timeline, children }: { timeline: Timeline; children?: ComponentChildren }) {
  const { buckets, complete } = timeline;
  const paths = useMemo(() => {
    const drawn = stackPaths(buckets.map(stackOf), mostOf(timeline));
    return seriesClasses.map((kind, series) => [kind, drawn[series] ?? ''] as const);
  }, [timeline]);
  const back = countedBackTo(timeline);
  const uncounted = back === undefined ? buckets.length : buckets.findIndex(({ count }) => count > 0);
  return (
    <Drawing count={buckets.length} paths={paths}>
      {!complete && <div class="chart-uncounted" style={{ width: `${(uncounted / buckets.length) * 100}%` }} />}
      {children}
    </Drawing>
  );
}

export const mostOf = ({ buckets }: Timeline): number => Math.max(0, ...buckets.map(({ count }) => count));

type AxisTicksProps = { timeline: Timeline; most: number; isOpen: boolean };

export function AxisTicks({ timeline: { buckets, bucketMs, from }, most, isOpen }: AxisTicksProps) {
  const start = buckets[0]?.at ?? from;
  const to = start + buckets.length * bucketMs;
  return (
    <div class="chart-ticks" aria-hidden="true">
      {ticksOf({ from: start, to, most, end: isOpen ? 'now' : undefined, now: Date.now() }).map(({ place, label }) => (
        <span key={place} style={{ left: `${place * 100}%` }}>
          {label}
        </span>
      ))}
    </div>
  );
}

/** What there is before the first answer: grey bars after a moment. */
export const LoadingBars = () => <div class="chart-loading" role="status" aria-label="Counting" />;
