/* The answer to a delivery, and its attempts, in words. Pure. */

import type { EventSummary } from '../../../features/events/model.ts';
import { formatCount, formatDuration } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';

type Answered = EventSummary['answered'];
type Refused = EventSummary['refused'];
type Event = Pick<EventSummary, 'answered' | 'refused'>;

const faults: Record<NonNullable<Answered['fault']>, { short: string; sentence: string }> = {
  close: { short: 'closed', sentence: 'Connection closed without a response' },
  reset: { short: 'reset', sentence: 'Connection reset without a response' },
  stall: { short: 'stalled', sentence: 'Headers sent, then nothing for 60 seconds' },
};

const refusals: Record<NonNullable<Refused>, { short: string; sentence: string }> = {
  401: { short: 'credentials', sentence: 'missing or wrong credentials' },
  403: { short: 'network', sentence: "the guard doesn't allow this network" },
  405: { short: 'method', sentence: "the guard doesn't allow this method" },
};

export const isDefaultAnswer = ({ status, rule, delayMs, fault, limited }: Answered): boolean =>
  status === 200 && rule === null && delayMs === 0 && fault === null && !limited;

/** An answer other than 2xx in a word: `500`, `closed`. */
export function failureOf({ status, fault }: Answered): string | undefined {
  if (status !== null && status >= 200 && status < 300) return undefined;
  return fault ? faults[fault].short : String(status ?? 'cut off');
}

/** `200 in 10 s`, `500`, `closed`. */
export function answerText(answered: Answered): string {
  const late = answered.delayMs > 0 ? ` in ${formatDelay(answered.delayMs)}` : '';
  return `${failureOf(answered) ?? answered.status}${late}`;
}

/** What was wrong: `credentials`, `network` or `method`. */
export const describeRefusal = (refused: NonNullable<Refused>): string => refusals[refused].short;

const formatDelay = (ms: number): string => (ms < 1000 ? `${ms} ms` : formatDuration(ms).replace('.0 s', ' s'));

export function describeOutcome({ answered, refused }: Event): string {
  if (refused !== null)
    return `Refused with ${refused} (${refusals[refused].short}): ${refusals[refused].sentence}. Not forwarded.`;
  const { status, rule, delayMs, fault, limited } = answered;
  const what = fault ? faults[fault].sentence : `Responded with ${status ?? 'nothing'}`;
  const late = delayMs > 0 ? ` after ${formatDelay(delayMs)}` : '';
  const by = rule === null ? '' : `, rule “${visibleLine(rule)}”`;
  const early = limited ? ' The delay was skipped because too many responses were being delayed.' : '';
  return `${what}${late}${by}.${early}`;
}

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
