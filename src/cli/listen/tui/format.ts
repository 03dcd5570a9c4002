/* Durations, times and counts as text. */

/** `12 ms`, `1.2 s` */
export const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** `4 s`, `3 min`: a waiting time. */
export const waitText = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
};

/** In the time zone of this machine. */
export const clockText = (epochMs: number): string => new Date(epochMs).toTimeString().slice(0, 8);

/** `1,204` */
export const countText = (count: number): string => count.toLocaleString('en-US');
