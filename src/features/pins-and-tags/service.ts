/*
 * Pins, tags, and the deletion of single events. A pinned event is exempt from retention until it is unpinned; the queries that
 * read, count and sweep events know that (db/event-marks.ts).
 */

import type { Principal, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, forbidden, limitReached, notFound } from '../../core/errors.ts';
import { readPin, readTags } from '../../core/events/event-marks.ts';
import { maxPinsPerTeam } from '../../core/limits.ts';
import type { EventPlace } from '../events/details.ts';
import type { EventSummary } from '../events/model.ts';
import type { PinRequest, TagsRequest } from './model.ts';
import type { KeepingStore } from './store.ts';

export type KeepingService = ReturnType<typeof createKeepingService>;

export function createKeepingService(options: {
  store: KeepingStore;
  clock: Pick<Clock, 'now'>;
  events: {
    /** @throws not_found, unavailable */
    locate: (principal: TeamAccess, id: string) => Promise<EventPlace>;
    /** @throws not_found */
    summary: (principal: TeamAccess, place: EventPlace) => Promise<EventSummary>;
  };
  /** Called after an event was unpinned: it may have expired. */
  onUnpinned: () => void;
  /** Called after the pin or the tags of an event changed, or it was deleted. */
  onChanged: (change: { endpoint: number; seq: number; id: string }) => void;
}) {
  const { store, clock, events, onUnpinned, onChanged } = options;

  return {
    /**
     * Pins an event, or changes name and note of its pin.
     * @throws invalid, not_found, conflict when the name is taken, limit_reached
     */
    async pin(principal: TeamAccess, id: string, request: PinRequest): Promise<EventSummary> {
      const { name, note } = readPin(request);
      const place = await events.locate(principal, id);
      const pin = { event: place.seq, teamId: principal.teamId, name, note, pinnedAt: clock.now() };
      const outcome = await store.pin(pin, maxPinsPerTeam);
      if (outcome === 'taken') throw conflict(`another event of the endpoint is pinned as ${name}`);
      if (outcome === 'refused') {
        // Throws not_found if the event was removed since.
        await events.locate(principal, id);
        throw limitReached(`a team can pin ${maxPinsPerTeam} events`);
      }
      onChanged({ ...place, id });
      return events.summary(principal, place);
    },

    /** An event that is not pinned stays as it is. @throws not_found */
    async unpin(principal: TeamAccess, id: string): Promise<void> {
      const place = await events.locate(principal, id);
      await store.unpin(place.seq, principal.teamId);
      onChanged({ ...place, id });
      onUnpinned();
    },

    /** Replaces the tags of an event. @throws invalid, not_found */
    async tag(principal: TeamAccess, id: string, request: TagsRequest): Promise<EventSummary> {
      const tags = readTags(request.tags);
      const place = await events.locate(principal, id);
      await store.tag(place.seq, principal.teamId, tags);
      onChanged({ ...place, id });
      return events.summary(principal, place);
    },

    /** Deletes an event, even a pinned one. @throws forbidden unless the principal is an owner, not_found */
    async remove(principal: Principal, id: string): Promise<void> {
      if (principal.role !== 'owner') throw forbidden('only an owner of the team may delete events');
      const { seq, endpoint } = await events.locate(principal, id);
      if (!(await store.remove(endpoint, seq))) throw notFound('event');
      onChanged({ endpoint, seq, id });
    },
  };
}
