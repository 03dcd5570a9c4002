/* What a bulk action works on: the picked events, or all that match a filter up to a moment. */

import type { EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { formatCount } from '../../kit/format/time.ts';
import type { LiveList } from '../live/live-list.ts';

export type Matching = {
  endpointId: string;
  /** The filter as it was entered; empty for all events. */
  where: string;
  /** Later events are excluded (epoch ms). */
  until: number;
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

type Loading = { signal: AbortSignal; onFound: (count: number) => void };

/** The newest matching events, newest first. @param onFound called with the number found so far */
async function listMatching({ endpointId, bounded }: Matching, limit: number, options: Loading) {
  const { onFound, signal } = options;
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

export type Targets = { ids: readonly string[] } | { all: Matching & { count: number | undefined } };
export type Target = Pick<EventSummary, 'id' | 'pin' | 'tags' | 'receivedAt' | 'eventType' | 'method'>;

export const labelOf = ({ eventType, method }: Pick<Target, 'eventType' | 'method'>): string =>
  eventType ?? method ?? 'Event';

/** Events that are changed one by one: more would take minutes. */
export const maxTargets = 1000;

export const countOf = (targets: Targets): number | undefined =>
  'ids' in targets ? targets.ids.length : targets.all.count;

/** `3 events`, `all 1,240 events that match`, `all events that match`. */
export function nameOf(targets: Targets): string {
  const count = countOf(targets);
  if ('ids' in targets) return formatCount(targets.ids.length, 'event');
  const events = count === undefined ? 'all events' : `all ${formatCount(count, 'event')}`;
  return targets.all.where === '' ? events : `${events} that match`;
}

type LoadOptions = Loading & { limit: number; list: LiveList };

/** The events with their pins and tags, newest first; at most `limit` of all that match. Picked ones that are gone are left out. */
export async function loadTargets(targets: Targets, { limit, list, signal, onFound }: LoadOptions): Promise<Target[]> {
  if ('all' in targets) return listMatching(targets.all, limit, { onFound, signal });
  const found: Target[] = [];
  for (const id of targets.ids) {
    const known = list.at(list.indexOf(id));
    const target = known ?? (await api.event(id, signal).catch(ignoreMissing));
    if (target) found.push(target);
    onFound(found.length);
  }
  return found.sort((a, b) => b.receivedAt - a.receivedAt);
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
  throw error;
}
