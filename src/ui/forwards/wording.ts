/* What the pages say about forwards. Pure. Names, URLs and errors are shown by the caller, as text. */

import type { Forward, ForwardDelivery } from '../../features/forwards/model.ts';
import { formatGap } from '../inspector/event/attempts.ts';
import { statusText } from '../inspector/replay/status-text.ts';
import { formatCount, formatTimeOfDay } from '../kit/format/time.ts';
import type { DeliveryState } from './forwards-api.ts';

export const deliveryLabels: Record<DeliveryState, string> = {
  waiting: 'Waiting',
  failed: 'Failed',
  given_up: 'Given up',
};
export const deliveryHints: Record<DeliveryState, string> = {
  waiting: 'not tried yet',
  failed: 'will be tried again',
  given_up: "won't be tried again",
};

type Counts = Pick<Forward, 'waiting' | 'failed' | 'givenUp'>;

export const countOf = ({ waiting, failed, givenUp }: Counts, state: DeliveryState): number =>
  ({ waiting, failed, given_up: givenUp })[state];

/** How many events are still to be sent. */
export const openOf = ({ waiting, failed }: Pick<Forward, 'waiting' | 'failed'>): number => waiting + failed;

type State = { label: string; tone: 'good' | 'info' | 'warn' | 'bad' };

export function stateOf({ state, waiting, failed }: Pick<Forward, 'state' | 'waiting' | 'failed'>): State {
  if (state === 'paused') return { label: 'Paused', tone: 'warn' };
  if (state === 'probing') return { label: 'Down', tone: 'bad' };
  if (failed > 0) return { label: 'Retrying', tone: 'warn' };
  return waiting > 0 ? { label: 'Sending', tone: 'info' } : { label: 'Up to date', tone: 'good' };
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
  const { state, failingSince, probeAt, failed, waiting } = forward;
  if (state === 'paused') return 'Nothing is sent until it is resumed. Events wait.';
  if (state === 'probing') {
    const since = failingSince === null ? '' : ` It has failed ${sinceText(failingSince, now)}.`;
    const next = probeAt === null ? '' : `, next ${inText(probeAt, now)}`;
    return `The destination is down.${since} It is asked with one event a minute${next}.`;
  }
  if (probeAt !== null) return `The destination has asked to wait. It gets the next event ${inText(probeAt, now)}.`;
  if (failed > 0 && failingSince !== null) return `Every attempt has failed ${sinceText(failingSince, now)}.`;
  if (failed > 0) return 'Some events were not accepted yet, and are tried again.';
  return waiting > 0 ? 'Events are on their way.' : 'Nothing waits.';
}

/** `The oldest has waited since 14:05 (2 h 3 min).`; empty when nothing waits. */
export const lagSentence = (forward: Pick<Forward, 'waiting' | 'failed' | 'lagS'>, now: number): string =>
  openOf(forward) === 0 || forward.lagS === 0
    ? ''
    : `The oldest event has waited ${sinceText(now - forward.lagS * 1000, now)}.`;

/** When an event is sent next; empty when it will not be. */
export function nextText(
  { state, nextAt }: Pick<ForwardDelivery, 'state' | 'nextAt'>,
  forward: Pick<Forward, 'state' | 'mode' | 'probeAt'>,
  now: number,
): string {
  if (state === 'given_up') return '';
  if (forward.state === 'paused') return 'when it is resumed';
  if (nextAt === null) return 'after the events before it';
  if (forward.state === 'probing' && (state === 'waiting' || nextAt <= now)) return 'when the destination answers';
  return inText(Math.max(nextAt, forward.probeAt ?? nextAt), now);
}

/** What the header of an endpoint says about all its forwards: the worst first, and not more than there is room for. */
export function markOf(forwards: readonly Forward[]): State {
  const down = forwards.filter(({ state }) => state === 'probing').length;
  const paused = forwards.filter(({ state }) => state === 'paused').length;
  const givenUp = sum(forwards, 'givenUp');
  const open = sum(forwards, 'waiting') + sum(forwards, 'failed');
  const parts = [
    of(down, 'down', forwards),
    ...(givenUp > 0 ? [`${givenUp.toLocaleString()} given up`] : []),
    of(paused, 'paused', forwards),
    ...(open > 0 && down + paused > 0 ? [`${open.toLocaleString()} waiting`] : []),
  ].filter(part => part !== '');
  if (parts.length === 0) return { label: formatCount(forwards.length, 'forward'), tone: 'info' };
  const [first = '', ...others] = parts.slice(0, 2);
  const label = down === 0 && givenUp > 0 ? `Forwards: ${first}` : first;
  return { label: [label, ...others].join(', '), tone: down > 0 || givenUp > 0 ? 'bad' : 'warn' };
}

/** `Forward down`, `2 of 3 forwards down`. */
const of = (amount: number, what: string, { length }: readonly Forward[]): string =>
  amount === 0 ? '' : length === 1 ? `Forward ${what}` : `${amount} of ${length} forwards ${what}`;

const sum = (forwards: readonly Counts[], name: keyof Counts): number =>
  forwards.reduce((total, forward) => total + forward[name], 0);

/** What deleting means for the events. */
export function removalText(forward: Counts): string {
  const open = openOf(forward);
  const lost =
    open === 0
      ? 'Nothing waits for it.'
      : `${formatCount(open, 'event')} that ${verb(open, 'waits', 'wait')} for it won't be sent.`;
  const { givenUp } = forward;
  const forgotten = givenUp === 0 ? '' : ` Its list of ${formatCount(givenUp, 'given-up event')} is removed.`;
  return `${lost}${forgotten} What is under way is cut off. The events themselves stay stored.`;
}

const verb = (amount: number, one: string, many: string): string => (amount === 1 ? one : many);

/** What the confirmation of retry and skip says, and its button. */
export type ActWording = { title: string; text: string; button: (amount: number) => string };
export type Act = 'retry-given-up' | 'retry-matching' | 'skip-blocked' | 'skip-matching';

export function actWording(act: Act, { mode }: Pick<Forward, 'mode'>): ActWording {
  const retry = (amount: number): string => `Retry ${formatCount(amount, 'event')}`;
  const skip = (amount: number): string => `Skip ${formatCount(amount, 'event')}`;
  const skipped = "They won't be sent, and leave the list. They stay stored, and can be replayed.";
  switch (act) {
    case 'retry-given-up':
      return {
        title: 'Retry all given-up events?',
        text: 'They are sent again as if they were new, oldest first.',
        button: retry,
      };
    case 'retry-matching':
      return {
        title: 'Retry events that match',
        text: 'Of the failed and given-up events, those that match are sent again at once.',
        button: retry,
      };
    case 'skip-blocked':
      return mode === 'ordered'
        ? {
            title: 'Skip the failed event of each lane?',
            text: `What waits behind them goes next. ${skipped}`,
            button: skip,
          }
        : { title: 'Skip all failed events?', text: skipped, button: skip };
    case 'skip-matching':
      return {
        title: 'Skip events that match',
        text: `Waiting, failed and given-up events that match are taken off the list: they won't be sent. They stay stored, and can be replayed.`,
        button: skip,
      };
  }
}
