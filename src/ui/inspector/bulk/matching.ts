/* The events that match a filter up to a moment: the meaning of "all that match". */

import type { EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';

export type Matching = {
  endpointId: string;
  /** The filter as it was entered; empty for all events. */
  where: string;
  /** Later events are excluded (epoch ms). */
  until: number;
  /** The filter with this limit. */
  bounded: string;
};

export function matchingUntil(endpointId: string, where: string, until: number): Matching {
  const limit = `received<=${new Date(until).toISOString()}`;
  const entered = where.trim();
  return { endpointId, where: entered, until, bounded: entered === '' ? limit : `(${entered}) ${limit}` };
}

/** @throws ApiError; the error of the signal when it is aborted */
export async function countMatching(
  { endpointId, bounded }: Matching,
  signal: AbortSignal,
  term = '',
): Promise<number> {
  const where = `${bounded} ${term}`.trim();
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await api.countEvents(endpointId, where, cursor, signal);
    count += page.count;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return count;
}

/**
 * The newest matching events, newest first.
 * @param onFound called with the number found so far
 */
export async function listMatching(
  { endpointId, bounded }: Matching,
  limit: number,
  { onFound, signal }: { onFound: (count: number) => void; signal: AbortSignal },
): Promise<EventSummary[]> {
  const found: EventSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.events(endpointId, cursor, bounded);
    signal.throwIfAborted();
    found.push(...page.events);
    onFound(Math.min(limit, found.length));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < limit);
  return found.slice(0, limit);
}
