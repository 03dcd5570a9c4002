/* The way of a delivery in five steps: what each came to, the worst first where there are several. Pure. */

import type { Delivery } from '../../../features/deliveries/model.ts';
import type { EventDetail, EventForward, Signature } from '../../../features/events/model.ts';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine, visibleName } from '../../kit/format/visible.ts';
import {
  answerText,
  describeAttempts,
  describeOutcome,
  describeRefusal,
  failureOf,
  formatGap,
  formatStatuses,
} from './answered.ts';
import { describeVerdict } from './verdict.ts';

/** `bad`: broken now; `warn`: needs a look; `none`: nothing happened, or it is unknown. */
export type StepState = 'bad' | 'warn' | 'good' | 'none';
export type Step = {
  name: 'Attempts' | 'Checks' | 'Answer' | 'Forwards' | 'Replays';
  state: StepState;
  text: string;
  more?: string;
  /** The whole of it in sentences, when the text does not say all. */
  sentence?: string;
};

type WayOptions = {
  event: EventDetail;
  attempts: number;
  delivery: Delivery | undefined;
};

export const wayOf = (options: WayOptions): Step[] => [
  attemptsStep(options),
  checksStep(options.event),
  answerStep(options),
  forwardsStep(options.event),
  replaysStep(options.event),
];

function attemptsStep({ attempts, delivery }: WayOptions): Step {
  const name = 'Attempts';
  if (attempts < 2) return { name, state: 'none', text: '1' };
  const [first, last] = [delivery?.attempts.at(0), delivery?.attempts.at(-1)];
  const span = first && last ? ` in ${formatGap(last.receivedAt - first.receivedAt)}` : '';
  const sentence = `${describeAttempts(attempts, delivery?.attempts)}.`;
  return { name, state: 'warn', text: `${attempts}${span}`, sentence };
}

const failedChecks: Record<NonNullable<Signature['reason']>, string> = {
  no_secret: 'No secret to check with',
  unconfirmed_secret: 'Secret not confirmed',
  wrong_secret_or_altered_body: 'Signature matches no saved secret',
  timestamp_out_of_tolerance: 'Signature too far from its time',
  malformed_header: 'Signature header malformed',
  unsupported: 'Signature not checked',
  redacted: 'Signature no longer fits',
};

function checksStep(event: EventDetail): Step {
  const { signature, refused } = event;
  const name = 'Checks';
  const { sentence } = describeVerdict(event);
  const text = signature?.reason
    ? failedChecks[signature.reason]
    : signature
      ? signature.verdict === 'valid'
        ? 'Signature valid'
        : 'Signature not checked'
      : 'No signature';
  const state = signature?.verdict === 'invalid' ? 'bad' : signature?.verdict === 'valid' ? 'good' : 'none';
  const more = signature?.checked === 'arrival' && signature.verdict !== 'unchecked' ? 'checked when it came' : '';
  if (refused === null) return { name, state, text, more, sentence };
  const refusal = `Refused: ${describeRefusal(refused)}`;
  const all = `${describeOutcome(event)} ${sentence}`;
  if (state === 'bad') return { name, state, text, more: refusal.toLowerCase(), sentence: all };
  return { name, state: 'warn', text: refusal, sentence: all };
}

function answerStep({ event, delivery }: WayOptions): Step {
  const { answered, refused } = event;
  const all = delivery ? delivery.attempts.map(attempt => attempt.answered) : [answered];
  const text = all.length > 1 ? formatStatuses(all.map(({ status }) => status)) : answerText(answered);
  const state = all.some(one => failureOf(one) !== undefined) ? 'warn' : 'good';
  const rules = [...new Set(all.flatMap(({ rule }) => rule ?? []))].map(visibleLine);
  return {
    name: 'Answer',
    state,
    text,
    more: rules.length > 0 ? `rule ${rules.join(', ')}` : '',
    // The checks say why it was refused.
    sentence: refused === null ? describeOutcome(event) : '',
  };
}

/** `delivered` is the only one with which a forward is done with an event. */
export const forwardStates: Record<EventForward['state'], { state: StepState; words: string }> = {
  waiting: { state: 'none', words: 'not tried yet' },
  failed: { state: 'bad', words: 'failed, will be tried again' },
  delivered: { state: 'good', words: 'delivered' },
  given_up: { state: 'bad', words: 'not delivered' },
  skipped: { state: 'none', words: 'skipped' },
};

/** `failed, will be tried again; 3 attempts, last returned 503`. */
export function describeForward({ state, attempts, lastStatus }: EventForward): string {
  const { words } = forwardStates[state];
  if (attempts === 0) return words;
  const last = lastStatus === null ? 'no response to the last' : `last returned ${lastStatus}`;
  return `${words}; ${formatCount(attempts, 'attempt')}, ${last}`;
}

const worst: readonly StepState[] = ['bad', 'warn', 'none', 'good'];

function forwardsStep({ forwards }: EventDetail): Step {
  const name = 'Forwards';
  if (forwards.length === 0) return { name, state: 'none', text: 'None' };
  const states = forwards.map(({ state }) => forwardStates[state].state);
  const delivered = forwards.filter(({ state }) => state === 'delivered').length;
  return {
    name,
    state: worst.find(state => states.includes(state)) ?? 'none',
    text: `${delivered} of ${forwards.length} delivered`,
    sentence: forwards.map(one => `${visibleName(one.name)}: ${describeForward(one)}.`).join(' '),
  };
}

function replaysStep({ replays }: EventDetail): Step {
  const name = 'Replays';
  const own = replays.filter(({ via }) => via !== 'forward');
  const [newest] = own;
  if (!newest) return { name, state: 'none', text: 'None' };
  const { status, ok, destination } = newest;
  const host = URL.canParse(destination) ? new URL(destination).host : destination;
  return {
    name,
    state: ok ? 'good' : 'warn',
    text: `${own.length} · ${status ?? 'no response'}`,
    more: visibleLine(host),
  };
}
