/* The styles of the view, by what they mean, and texts of durations and times. Colour is never the only sign of anything. */
import type { Line, Span, Style } from './text.ts';

export const styles = {
  strong: { isBold: true },
  faint: { isDim: true },
  good: { color: 'green' },
  bad: { color: 'red', isBold: true },
  warning: { color: 'yellow', isBold: true },
  accent: { color: 'cyan' },
  key: { color: 'cyan', isBold: true },
  selected: { isInverse: true },
  alarm: { color: 'red', isBold: true, isInverse: true },
} as const satisfies Record<string, Style>;

export const span = (text: string, style?: Style): Span => ({ text, style });

/** The same line in one style, for a row that is selected. */
export const restyled = (line: Line, style: Style): Line => line.map(({ text }) => ({ text, style }));

/** `12 ms`, `1.2 s` */
export const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** `4 s`, `3 min`: until something. */
export const waitText = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
};

const two = (number: number): string => String(number).padStart(2, '0');

/** In the time zone of this machine. */
export const clockText = (epochMs: number): string => {
  const date = new Date(epochMs);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

/** `1,204` */
export const countText = (count: number): string => count.toLocaleString('en-US');
