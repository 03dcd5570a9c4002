/* From numbers to paths, gridlines and ticks. A path has all bars of a series, so the number of elements never depends on the data. */

import { dayOf, formatClock, formatInstant, nextDay } from '../format/time.ts';

/** One event among ten thousand is seen. Percent of the height. */
const leastHeight = 2.2;
const [gap, barWidth] = [0.1, 0.8];

/** Where the bars of a chart are: in units of the buckets of its axis. */
type BarPlaces = { first?: number; width?: number };

/** @param buckets for each bucket its values, from the baseline up @returns one path for each series */
export function stackPaths(buckets: readonly (readonly number[])[], max: number, places: BarPlaces = {}) {
  const { first = 0, width = 1 } = places;
  const paths = (buckets[0] ?? []).map(() => '');
  buckets.forEach((values, at) => {
    let top = 0;
    heightsOf(values, max).forEach((height, series) => {
      if (height === 0) return;
      const x = round(first + (at + gap) * width);
      paths[series] +=
        `M${x} ${round(100 - top)}h${round(barWidth * width)}V${round(100 - top - height)}h${-round(barWidth * width)}z`;
      top += height;
    });
  });
  return paths;
}

/** In percent. What is there has at least the least height; the largest one of a full stack makes way. */
function heightsOf(values: readonly number[], max: number): number[] {
  const heights = values.map(value => (value > 0 ? Math.max(leastHeight, (value / max) * 100) : 0));
  const excess = heights.reduce((sum, height) => sum + height, 0) - 100;
  if (excess > 0) {
    const largest = heights.indexOf(Math.max(...heights));
    heights[largest] = (heights[largest] ?? 0) - excess;
  }
  return heights;
}

/** A line through the middles of the buckets, with gaps where there is no value. A value alone is a short dash. */
export function linePath(values: readonly (number | null)[], max: number, places: BarPlaces = {}): string {
  const { first = 0, width = 1 } = places;
  let path = '';
  values.forEach((value, at) => {
    if (value === null) return;
    const [x, y] = [first + (at + 0.5) * width, round(100 - (value / max) * 100)];
    const [isFirst, isLast] = [(values[at - 1] ?? null) === null, (values[at + 1] ?? null) === null];
    path +=
      isFirst && isLast
        ? `M${round(x - 0.3 * width)} ${y}h${round(0.6 * width)}`
        : `${isFirst ? 'M' : 'L'}${round(x)} ${y}`;
  });
  return path;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Round numbers below a maximum, at most four. */
export function gridlines(max: number): number[] {
  const rough = max / 3;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = Math.max(1, ([1, 2, 5, 10].find(one => one * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.min(4, Math.floor(max / step)) }, (_, n) => (n + 1) * step);
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const steps = [
  ...[1, 5, 10, 30].map(n => n * second),
  ...[1, 5, 10, 30].map(n => n * minute),
  ...[1, 2, 3, 6, 12].map(n => n * hour),
  ...[1, 2, 7, 14, 30, 60, 90, 180, 365, 730].map(n => n * day),
];
/** `place`: 0 to 1. */
type Tick = { place: number; label: string };

/** `end`: what the end is called; undefined: by its time. */
type AxisEnds = { from: number; to: number; most: number; end?: string | undefined; now: number };

/** The labels below an axis: both ends, and round times of the browser's zone between them. */
export function ticksOf({ from, to, most, end, now }: AxisEnds): Tick[] {
  const step = steps.find(one => (to - from) / one <= most - 1) ?? 3650 * day;
  // Nearer to an end a tick would touch its label.
  const margin = 0.65 / most;
  const inside: Tick[] = [];
  let days = 0;
  for (let start = dayOf(from); start < to && inside.length < most; start = nextDay(start), days++)
    for (let within = Math.max(0, Math.floor((from - start - hour) / step) * step); within < day; within += step) {
      // Through the clock, because a day may have 23 or 25 hours.
      const at = new Date(start).setHours(0, 0, 0, within);
      if (at > to) break;
      const place = (at - from) / (to - from);
      if (place < margin || place > 1 - margin || (step > day && (days * day) % step !== 0)) continue;
      inside.push({ place, label: at === start ? dayLabel(at, now) : formatClock(at).replace(/:00$/, '') });
    }
  const endLabel = (at: number): string => (to - from > 1.5 * day ? dayLabel(at, now) : formatInstant(at, at));
  return [{ place: 0, label: endLabel(from) }, ...inside, { place: 1, label: end ?? endLabel(to) }];
}

const dayLabel = (at: number, now: number): string =>
  formatInstant(dayOf(at), Math.max(now, nextDay(dayOf(at)))).replace(/ 00:00$/, '');
