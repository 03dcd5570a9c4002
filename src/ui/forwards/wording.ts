/* What the pages say about forwards. Pure. Names, URLs and errors are shown by the caller, as text. */

import type { Forward, ForwardDelivery } from '../../features/forwards/model.ts';
import { formatGap } from '../inspector/event/answered.ts';
import { statusText } from '../inspector/replay/status-text.ts';
import { formatCount, formatTimeOfDay } from '../kit/format/time.ts';
import type { DeliveryState } from './forwards-api.ts';

export const deliveryLabels: Record<DeliveryState, string> = {
  waiting: 'Waiting',
  failed: 'Failed',
  given_up: 'Given up',
};
export const deliveryHints: Record<DeliveryState, string> = {
  waiting: 'not attempted yet',
  failed: 'will be retried',
  given_up: "won't be retried",
};

type Counts = Pick<Forward, 'waiting' | 'failed' | 'givenUp'>;

export const countOf = ({ waiting, failed, givenUp }: Counts, state: DeliveryState): number =>
  ({ waiting, failed, given_up: givenUp })[state];

/** How many events are still to be sent. */
export const openOf = ({ waiting, failed }: Pick<Forward, 'waiting' | 'failed'>): number => waiting + failed;

type State = { label: string; tone: 'good' | 'muted' | 'warn' | 'bad' };

export function stateOf({ state, waiting, failed }: Pick<Forward, 'state' | 'waiting' | 'failed'>): State {
  if (state === 'paused') return { label: 'Paused', tone: 'muted' };
  if (state === 'probing') return { label: 'Down', tone: 'bad' };
  if (failed > 0) return { label: 'Retrying', tone: 'warn' };
  return waiting > 0 ? { label: 'Sending', tone: 'muted' } : { label: 'Up to date', tone: 'good' };
}

/** An event that has waited this long waits for more than its turn. */
const longWaitS = 60;

/** Nothing is sent, or events were not accepted, or they wait for long. */
export const isTroubled = ({ state, failed, givenUp, probeAt, lagS }: Forward): boolean =>
  state !== 'ok' || failed > 0 || givenUp > 0 || probeAt !== null || lagS >= longWaitS;

/** `99.96 %`: the share of attempts that were accepted, rounded down, so that 100 % means all; `–` without any. */
export function successText({ delivered, failed }: { delivered: number; failed: number }): string {
  if (delivered + failed === 0) return '–';
  const percent = (100 * delivered) / (delivered + failed);
  const digits = percent > 99 && percent < 100 ? 2 : percent < 10 ? 1 : 0;
  return `${Math.floor(percent * 10 ** digits) / 10 ** digits} %`;
}

/** `since 14:05 (2 h 3 min)`. */
export const sinceText = (at: number, now: number): string =>
  `since ${formatTimeOfDay(at, now)} (${formatGap(Math.max(1000, now - at))})`;

/** `503 Service Unavailable`, `Connection refused`; empty when nothing is known. */
export function reasonText({ lastStatus, lastError }: Pick<Forward, 'lastStatus' | 'lastError'>): string {
  const error = lastError === null ? '' : lastError.charAt(0).toUpperCase() + lastError.slice(1);
  if (lastStatus === null) return error;
  return [statusText(lastStatus), error].filter(text => text !== '').join(': ');
}

/** `in 43 s`; `now` when it is due. */
export const inText = (at: number, now: number): string => (at - now < 1000 ? 'now' : `in ${formatGap(at - now)}`);

/** Why events wait: a sentence or two, without the reason of the last failure. */
export function stateSentence(forward: Forward, now: number): string {
  const { state, failingSince, probeAt, failed, waiting, givenUp } = forward;
  if (state === 'paused') return 'Paused. Events are queued until you resume it.';
  if (state === 'probing') {
    const since = failingSince === null ? '' : `Failing ${sinceText(failingSince, now)}. `;
    const next = probeAt === null ? '' : `; next try ${inText(probeAt, now)}`;
    return `${since}Trying one event a minute${next}.`;
  }
  if (probeAt !== null) return `The destination has asked to wait. It gets the next event ${inText(probeAt, now)}.`;
  if (failed > 0 && failingSince !== null) return `Every attempt has failed ${sinceText(failingSince, now)}.`;
  if (failed > 0) return 'Retrying events that were not accepted.';
  if (waiting > 0) return 'Delivering events.';
  return givenUp > 0 ? 'No events waiting.' : 'All events delivered.';
}

/** `Oldest undelivered: 2 h 3 min.`; empty when nothing waits. */
export const lagSentence = (forward: Pick<Forward, 'waiting' | 'failed' | 'lagS'>): string =>
  openOf(forward) === 0 || forward.lagS === 0 ? '' : `Oldest undelivered: ${formatGap(forward.lagS * 1000)}.`;

/** When an event is sent next; empty when it will not be. */
export function nextText(
  { state, nextAt }: Pick<ForwardDelivery, 'state' | 'nextAt'>,
  forward: Pick<Forward, 'state' | 'mode' | 'probeAt'>,
  now: number,
): string {
  if (state === 'given_up') return '';
  if (forward.state === 'paused') return 'after you resume';
  if (nextAt === null) return 'after earlier events in its lane';
  if (forward.state === 'probing' && (state === 'waiting' || nextAt <= now)) return 'when the destination is back';
  return inText(Math.max(nextAt, forward.probeAt ?? nextAt), now);
}

/** What deleting means for the events. */
export function removalText(forward: Counts): string {
  const open = openOf(forward);
  const lost = open === 0 ? 'No events are waiting.' : `${formatCount(open, 'event')} waiting won't be sent.`;
  const { givenUp } = forward;
  const forgotten = givenUp === 0 ? '' : ` Its list of ${formatCount(givenUp, 'undelivered event')} is deleted.`;
  return `${lost}${forgotten} Requests in progress are cancelled. The events stay stored.`;
}

/** What the confirmation of retry and skip says, and its button. */
export type ActWording = { title: string; text: string; button: (amount: number) => string };
export type Act = 'retry-given-up' | 'retry-matching' | 'skip-blocked' | 'skip-matching';

const skipped = "They won't be sent. They stay stored and can be replayed.";
const actTexts: Record<Act, [title: string, text: string]> = {
  'retry-given-up': ['Retry all events that were given up?', 'Sent again like new events, oldest first.'],
  'retry-matching': ['Retry events that match', 'Matching failed and given-up events are sent again now.'],
  'skip-blocked': ['Skip all failed events?', skipped],
  'skip-matching': [
    'Skip events that match',
    "Matching waiting, failed and given-up events won't be sent. They stay stored and can be replayed.",
  ],
};

export function actWording(act: Act, { mode }: Pick<Forward, 'mode'>): ActWording {
  const [title, text] =
    act === 'skip-blocked' && mode === 'ordered'
      ? ['Skip the failed event at the head of each lane?', `The events behind them are sent next. ${skipped}`]
      : actTexts[act];
  const verb = act.startsWith('retry') ? 'Retry' : 'Skip';
  return { title, text, button: amount => `${verb} ${formatCount(amount, 'event')}` };
}
