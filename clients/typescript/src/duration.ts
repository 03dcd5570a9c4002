/* Durations in the form that Hooktape uses everywhere. */

/** `500ms`, `30s`, `15m`, `12h`, `7d`, or a number of milliseconds. */
export type Duration = string | number;

const msPerUnit: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds. @throws RangeError that names the invalid option */
export function milliseconds(duration: Duration, option: string): number {
  if (typeof duration === 'number' && Number.isFinite(duration) && duration >= 0) return duration;
  const [, digits, unit = ''] = /^(\d{1,9})(ms|[smhd])$/.exec(String(duration)) ?? [];
  if (typeof duration === 'number' || digits === undefined)
    throw new RangeError(`${option}: ${JSON.stringify(duration)} is not a duration such as "30s" or "500ms"`);
  return Number(digits) * (msPerUnit[unit] ?? 1);
}

/** `1.5 s`, `300 ms` */
export const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${+(ms / 1000).toFixed(1)} s`;
