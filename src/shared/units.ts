/* Durations and sizes in settings, such as `15m` and `32MiB`. */

/** The longest duration that a setting may be written with. */
export const maxDurationCharacters = 12;

const msPerUnit: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `500ms`, `30s`, `15m`, `12h`, `7d` or `0`. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, digits, unit = ''] = /^(\d{1,9})(ms|[smhd])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (msPerUnit[unit] ?? 1);
}

const bytesPerUnit: Record<string, number> = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Bytes of `512KiB`, `32MiB`, `1GiB` or a plain number. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,12})(B|KiB|MiB|GiB)?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (bytesPerUnit[unit] ?? 1);
}
