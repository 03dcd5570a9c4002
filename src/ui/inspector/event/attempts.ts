/* Describes the attempts of a delivery in words. Pure. */
import { formatCount, formatDuration } from '../../kit/format/time.ts';

const units: [unitMs: number, name: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** `840 ms`, `12 s`, `5 min`, `1 h 12 min`, `3 d`: at most two units. */
export function formatGap(ms: number): string {
  if (ms < 1000) return formatDuration(ms);
  const first = units.findIndex(([unit]) => ms >= unit);
  const [unit, name] = units[first] ?? [1000, 's'];
  const next = units[first + 1];
  const whole = Math.floor(ms / unit);
  const rest = next ? Math.floor((ms % unit) / next[0]) : 0;
  return next && rest > 0 ? `${whole} ${name} ${rest} ${next[1]}` : `${whole} ${name}`;
}

const maxListed = 5;

/** `500, 500, 200`, or `500 × 12, 200`; null is an answer that was cut off. */
export function formatStatuses(statuses: readonly (number | null)[]): string {
  const texts = statuses.map(status => (status === null ? 'cut off' : String(status)));
  if (texts.length <= maxListed) return texts.join(', ');
  const runs: { text: string; count: number }[] = [];
  for (const text of texts) {
    const last = runs.at(-1);
    if (last?.text === text) last.count++;
    else runs.push({ text, count: 1 });
  }
  const shown = runs.slice(-maxListed).map(({ text, count }) => (count > 1 ? `${text} × ${count}` : text));
  return runs.length > maxListed ? `…, ${shown.join(', ')}` : shown.join(', ');
}

type Attempt = { receivedAt: number; answered: { status: number | null } };

/** `3 attempts in 1 h 12 min, answered 500, 500, 200`. @param attempts oldest first; undefined: not loaded yet */
export function describeAttempts(count: number, attempts: readonly Attempt[] | undefined): string {
  const amount = count >= maxCounted ? `${formatCount(maxCounted, 'attempt')} or more` : formatCount(count, 'attempt');
  const [first, last] = [attempts?.at(0), attempts?.at(-1)];
  if (!attempts || !first || !last) return amount;
  const span = formatGap(last.receivedAt - first.receivedAt);
  return `${amount} in ${span}, answered ${formatStatuses(attempts.map(({ answered }) => answered.status))}`;
}

const maxCounted = 100;
