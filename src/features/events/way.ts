/*
 * The way of an event through the forwards of its endpoint. Items and accepted attempts are stored. That an event was skipped is
 * not: a forward takes it, has passed it, and neither an item nor an attempt is left.
 */
import { maxAttemptsPerEvent } from '../../core/limits.ts';
import { parseWhere } from '../../core/where.ts';
import type { SearchService } from '../search/service.ts';
import type { EventForward } from './model.ts';
import type { StoredEvent } from './reading.ts';
import type { AcceptedAttempt, ForwardOfEvent, WayStore } from './way-store.ts';

export type FindWay = ReturnType<typeof createFindWay>;

export function createFindWay({
  store,
  search,
}: {
  store: WayStore;
  search: Pick<SearchService, 'createEventFilter'>;
}) {
  /** Whether the forward takes the event, by its present filter. Times in the filter count from the receipt of the event. */
  const isTaken = async ({ filter, since }: ForwardOfEvent, { row, token }: StoredEvent): Promise<boolean> => {
    if (row.seq <= since || (row.outcome?.refused ?? null) !== null) return false;
    const endpoint = { seq: row.endpoint, token };
    const matching = search.createEventFilter(parseWhere(filter.toString()), endpoint);
    return (await matching.select([row.seq], { time: row.receivedAt })).has(row.seq);
  };

  const stateIn = async (
    forward: ForwardOfEvent,
    event: StoredEvent,
    accepted: readonly AcceptedAttempt[],
  ): Promise<Omit<EventForward, 'id' | 'name'> | undefined> => {
    const { item, position } = forward;
    if (item) {
      const { attempts, status: lastStatus, dueAt: nextAt } = item;
      const state = item.outcome !== null ? 'given_up' : attempts > 0 ? 'failed' : 'waiting';
      return { state, attempts, lastStatus, nextAt };
    }
    const found =
      accepted.find(one => one.forward === forward.seq) ??
      accepted.find(one => one.forward === null && one.destination === forward.url.toString());
    if (found) return { state: 'delivered', attempts: found.attempts ?? 1, lastStatus: found.status, nextAt: null };
    if (!(await isTaken(forward, event))) return undefined;
    const untried = { attempts: 0, lastStatus: null, nextAt: null };
    if (event.row.seq > position) return { state: 'waiting', ...untried };
    // The attempt at which it was delivered may have been removed for newer ones.
    return (await store.kept(event.row.seq)) < maxAttemptsPerEvent ? { state: 'skipped', ...untried } : undefined;
  };

  /** One entry for each forward that takes the event, oldest forward first. Delivered ones as long as their attempt is kept. */
  return async (event: StoredEvent): Promise<EventForward[]> => {
    const { endpoint, seq } = event.row;
    const forwards = await store.forwardsOf(endpoint, seq);
    if (forwards.length === 0) return [];
    // Read after the items, because the transaction that adds an attempt removes the item.
    const accepted = await store.accepted(seq);
    const ways = await Promise.all(
      forwards.map(async forward => {
        const state = await stateIn(forward, event, accepted);
        return state && { id: forward.id, name: forward.name.toString(), ...state };
      }),
    );
    return ways.filter(way => way !== undefined);
  };
}
