/*
 * Whether an event matches a filter. The logic has three values: undefined means that the facts given so far do not decide, so that
 * callers read an event's content, and verify its signature, only when they must.
 */
import type { Filter, Term, Verdict } from '../../shared/filter/filter.ts';
import type { EventContent } from './event-content.ts';

export type EventFacts = {
  type: string | null;
  /** In lower case. */
  platform: string | null;
  method: string | null;
  path: string;
  /** Epoch ms. */
  receivedAt: number;
  /** Bytes of the body. */
  size: number;
  sourceIp: string;
  verdict: Verdict;
  /** From 1. */
  attempt: number;
  /** The status of the answer; null when there was none. */
  answered: number | null;
  tags: readonly string[];
  isPinned: boolean;
  isReplayed: boolean;
  isEdited: boolean;
  isRefused: boolean;
  content: EventContent;
};

/** @param now epoch ms, for times such as `received>2h` */
export function evaluate(filter: Filter, _facts: Partial<EventFacts>, _now: number): boolean | undefined {
  return filter.root === undefined ? true : undefined;
}

/** The term whose outcome decided whether the event matches; undefined for an empty filter. */
export function decidingTerm(filter: Filter, _facts: EventFacts, _now: number): Term | undefined {
  return filter.root?.kind === 'term' ? filter.root : undefined;
}
