/*
 * Which events wake an agent. Strangers can send events to an endpoint, so events that its guard refused, and events whose
 * signature is invalid, wake no one unless the filter mentions `is:refused` or `verdict:`. Each of the two terms lets in only its
 * own kind.
 */
import { type Filter, termsOf } from './filter.ts';

/** The fields of an EventSummary that decide. */
type Judged = { refused: number | null; verdict: string | null };

/** @param filter which the events match @returns whether such an event wakes */
export function createWakingTest({ root }: Pick<Filter, 'root'>): (event: Judged) => boolean {
  const terms = termsOf(root).filter(term => term.on === 'column');
  const mayBeRefused = terms.some(term => term.column === 'is' && term.state === 'refused');
  const mayBeInvalid = terms.some(term => term.column === 'verdict');
  return ({ refused, verdict }) => (mayBeRefused || refused === null) && (mayBeInvalid || verdict !== 'invalid');
}
