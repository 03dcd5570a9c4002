/*
 * Chooses the rule that answers an event: the first rule whose conditions all hold. Pure: the states of sequences come in, and
 * the new steps go out, so the capture path, which stores them, and the preview, which drops them, use the same code.
 *
 * A rule's conditions are checked in the order handshake, `when`, `first`, `every`, `rate`, `chance`. An event counts for `first`
 * and `every` when it reaches the rule, because no earlier rule answered it, and `when` holds. For `rate`, the events that it
 * lets through count.
 */
import type { Filter } from '../../shared/filter/filter.ts';
import { contentGapMs, hasGaps } from '../ids/delivery-key.ts';
import { allDeliveries, type Count } from './model.ts';
import type { ActiveRule, ActiveRules } from './rules.ts';

/** The state of a sequence. `n`: the last step, 0 before the first. `times`: of the newest steps that are kept, oldest first. */
export type SequenceState = { n: number; times: readonly number[] };
export const atStart: SequenceState = { n: 0, times: [] };

/** The event to answer. `at`: when it was received, epoch ms. */
export type Occasion = {
  delivery: number;
  at: number;
  isHandshake: boolean;
  matches: (filter: Filter) => boolean | Promise<boolean>;
  /** A number from 0 up to, not including, 1. The same for the same event and rule. */
  chanceOf: (rule: string) => number;
  stateOf: (slot: number, delivery: number) => SequenceState;
};

export type Decision = {
  rule: ActiveRule | undefined;
  /** With a `rate`: in how many seconds the rule lets an event through again. */
  retryAfterS: number | undefined;
  /** The steps that this event made, whether or not a rule answered it. */
  counts: Count[];
};

/** The sequences of a rule, by its position. */
const counterSlot = (index: number): number => 2 * index;
const rateSlot = (index: number): number => 2 * index + 1;

const isCounted = ({ first, every }: ActiveRule): boolean => first !== undefined || every !== undefined;

export const sequencesOf = (rules: readonly ActiveRule[], delivery: number): { slot: number; delivery: number }[] =>
  rules.flatMap((rule, i) => {
    const of = rule.per === 'delivery' ? delivery : allDeliveries;
    return [
      ...(isCounted(rule) ? [{ slot: counterSlot(i), delivery: of }] : []),
      ...(rule.rate ? [{ slot: rateSlot(i), delivery: of }] : []),
    ];
  });

/** Awaits only filters that must be awaited. */
export async function decide({ version, rules }: ActiveRules, occasion: Occasion): Promise<Decision> {
  const { at, isHandshake, matches, chanceOf, stateOf } = occasion;
  const counts: Count[] = [];
  for (const [i, rule] of rules.entries()) {
    if (isHandshake && !rule.handshake) continue;
    if (rule.when && !(await matches(rule.when))) continue;
    const delivery = rule.per === 'delivery' ? occasion.delivery : allDeliveries;
    const count = (slot: number, n: number, keep: number): void =>
      void counts.push({ version, slot, delivery, n, at, keep });
    if (isCounted(rule)) {
      const { first = Number.POSITIVE_INFINITY, every = 1 } = rule;
      const n = 1 + countOf(stateOf(counterSlot(i), delivery), delivery, at);
      count(counterSlot(i), n, 1);
      if (n > first || n % every !== 0) continue;
    }
    let retryAfterS: number | undefined;
    if (rule.rate) {
      const { max, perS } = rule.rate;
      const state = stateOf(rateSlot(i), delivery);
      const waitMs = waitOf(state, { max, perMs: perS * 1000, at });
      if (waitMs === 0) {
        count(rateSlot(i), state.n + 1, max);
        continue;
      }
      retryAfterS = Math.ceil(waitMs / 1000);
    }
    if (rule.chance !== undefined && chanceOf(rule.name) >= rule.chance) continue;
    return { rule, retryAfterS, counts };
  }
  return { rule: undefined, retryAfterS: undefined, counts };
}

/** Attempts that only their content tells apart are another delivery after a long time. */
function countOf({ n, times }: SequenceState, delivery: number, at: number): number {
  const isOver = delivery !== allDeliveries && hasGaps(delivery) && at - (times.at(-1) ?? at) > contentGapMs;
  return isOver ? 0 : n;
}

/** How long until fewer than `max` events were let through in the last `perMs`; 0 for now. */
function waitOf({ times }: SequenceState, { max, perMs, at }: { max: number; perMs: number; at: number }): number {
  const oldest = times.at(-max);
  // A clock that was set back leaves times in the future. Times that are too far away have passed.
  if (oldest === undefined || oldest <= at - perMs || oldest > at + perMs) return 0;
  return Math.min(oldest, at) + perMs - at;
}

export const stateAfter = ({ n, times }: SequenceState, count: Count): SequenceState => ({
  n: count.n,
  times: count.keep === 1 ? [count.at] : [...(count.n === n + 1 ? times : []), count.at].slice(-count.keep),
});

/** From 0 up to, not including, 1: the same for the same event and rule. Senders do not know the nonce before the answer. */
export const chanceOf = (nonce: Uint8Array, rule: string): number =>
  Number(BigInt.asUintN(52, Bun.hash.xxHash3(`${Buffer.from(nonce).toString('hex')}\n${rule}`))) / 2 ** 52;
