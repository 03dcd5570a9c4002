/*
 * The expectation of `hooktape expect`, and the rules that decide it. A mark is a position, so events that arrived after it and
 * before the command count; the time limits are measured by the command's own monotonic clock, from its start.
 */
import type { EventSummary } from '../../features/events/model.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { counted } from '../client/output.ts';
import { type Arguments, UsageError } from '../io.ts';
import { duration, wholeNumber } from '../parse-arguments.ts';

export type Expectation = {
  kind: 'exactly' | 'at least' | 'none';
  count: number;
  per: 'event' | 'delivery';
  /** `--where` and `--verdict` together. */
  where: string;
  withinMs: number;
  /** An exact count must stay the same for this long after the last arrival. */
  settleMs: number;
};

export type Outcome = 'met' | 'not met' | 'too many';

const maxCount = 100_000;
const defaultWithinMs = 30_000;
const defaultSettleMs = 2000;

/** @throws UsageError */
export function readExpectation(given: Arguments): Expectation {
  const exactly = wholeNumber(given, 'count', { least: 0, most: maxCount });
  const atLeast = wholeNumber(given, 'at-least', { least: 1, most: maxCount });
  const isNone = given.flag('none') || exactly === 0;
  if ([exactly, atLeast, given.flag('none') || undefined].filter(one => one !== undefined).length > 1)
    throw new UsageError('use only one of --count, --at-least and --none');
  const kind = isNone ? 'none' : exactly === undefined ? 'at least' : 'exactly';
  return {
    kind,
    count: exactly ?? atLeast ?? (isNone ? 0 : 1),
    per: given.option('per') === 'delivery' ? 'delivery' : 'event',
    where: withVerdict(given.option('where') ?? '', given.option('verdict')),
    withinMs: duration(given, 'within') ?? defaultWithinMs,
    settleMs: duration(given, 'settle') ?? defaultSettleMs,
  };
}

function withVerdict(where: string, verdict: string | undefined): string {
  if (verdict === undefined) return where;
  if (where.trim() === '') return `verdict:${verdict}`;
  return isAlternative(where) ? `(${where}) verdict:${verdict}` : `${where} verdict:${verdict}`;
}

/** Whether the filter has an OR and so needs parentheses. An invalid filter is left to the server to refuse. */
function isAlternative(where: string): boolean {
  try {
    const { root } = parseFilter(where);
    return root?.kind === 'or';
  } catch {
    return false;
  }
}

/** The number of events, or of deliveries of which these events are attempts. */
export const countOf = ({ per }: Pick<Expectation, 'per'>, events: readonly EventSummary[]): number =>
  per === 'event' ? events.length : new Set(events.map(({ delivery }) => delivery.key)).size;

/** @param count matches so far @param isOver whether the time of `endOfWait` has passed */
export function decide({ kind, count: wanted }: Expectation, count: number, isOver: boolean): Outcome | undefined {
  if (kind === 'at least') return count >= wanted ? 'met' : isOver ? 'not met' : undefined;
  if (count > wanted) return 'too many';
  if (!isOver) return undefined;
  return count === wanted ? 'met' : 'not met';
}

/**
 * When to stop waiting, on the clock of `startedAt`: at the end of `--within`, or of `--settle` once an exact count is reached.
 * Arrivals after `--within` do not prolong it.
 */
export function endOfWait(
  { kind, count: wanted, withinMs, settleMs }: Expectation,
  { startedAt, count, lastArrivalAt }: { startedAt: number; count: number; lastArrivalAt: number },
): number {
  const deadline = startedAt + withinMs;
  return kind === 'exactly' && count === wanted ? Math.min(lastArrivalAt, deadline) + settleMs : deadline;
}

/** `exactly 2 events that match type:push` */
export function describe({ kind, count, per, where }: Expectation): string {
  const one = per === 'event' ? 'event' : 'delivery';
  const things = kind === 'none' ? `no ${one}` : `${kind} ${countedThings(count, one)}`;
  return where.trim() === '' ? things : `${things} matching ${where.trim()}`;
}

export const countedThings = (count: number, one: 'event' | 'delivery'): string =>
  one === 'event' ? counted(count, one) : `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;
