/* The answer to a delivery in words. Pure. */

import type { EventSummary } from '../../../features/events/model.ts';
import { formatDuration } from '../../kit/format/time.ts';
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
