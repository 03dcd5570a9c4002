/* What a bulk action works on: the picked events, or all that match. */

import type { EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { formatCount } from '../../kit/format/time.ts';
import type { LiveList } from '../live/live-list.ts';
import { listMatching, type Matching } from './matching.ts';

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

type LoadOptions = { limit: number; list: LiveList; signal: AbortSignal; onFound: (count: number) => void };

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
