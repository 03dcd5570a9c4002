/*
 * Adds the events of endpoints with forwards to the queues, in the order in which they were stored. Items and the new position
 * are written in one transaction, so that a kill neither loses nor duplicates an event. It works in the background, after
 * deliveries.
 */
import type { InStatement } from '@libsql/client';
import type { TeamAccess } from '../../core/access/principal.ts';
import { createEndpointWatch } from '../../core/concurrency/endpoint-watch.ts';
import { forwardQueue } from '../../core/forward.ts';
import { isDown } from '../../core/network/destination-health.ts';
import type { QueuesService } from '../queues/service.ts';
import type { FedEvent, ForwardsStore, OpenForward } from './store.ts';

/** How many events with lanes one transaction adds: each needs a statement of its own. */
const addedTogether = 64;

export type Feeder = ReturnType<typeof createForwardFeeder>;

export function createForwardFeeder(options: {
  store: Pick<
    ForwardsStore,
    | 'openOf'
    | 'endpointsWithForwards'
    | 'lastSeq'
    | 'newEvents'
    | 'movePositionStatements'
    | 'notRefused'
    | 'writeMoved'
  >;
  queues: Pick<
    QueuesService,
    'createQueueStatements' | 'addEventsStatement' | 'addItemsWithoutWakingStatements' | 'wakeStatements' | 'added'
  >;
  addJob: Parameters<typeof createEndpointWatch>[0]['addJob'];
  /** The events after a position that match, oldest first, in steps. @throws not_found */
  matching: (
    principal: TeamAccess,
    selection: { endpointId: string; where: string; after: number },
  ) => AsyncIterable<{ seqs: number[]; position: number }>;
  /** Leaves out events of deliveries of which an earlier attempt is forwarded. */
  firstOfDeliveries: (forward: OpenForward, events: readonly FedEvent[]) => Promise<FedEvent[]>;
  /** The lane of each event, by row number. */
  lanesOf: (forward: OpenForward, events: readonly FedEvent[]) => Promise<ReadonlyMap<number, Uint8Array>>;
  monotonic: () => number;
  onError: (error: unknown, fields: Record<string, unknown>) => void;
}) {
  const { store, queues, addJob, matching, firstOfDeliveries, lanesOf, monotonic, onError } = options;

  /** @param to the position after these events @returns false if the forward has changed and must be read again */
  const queueUp = async (forward: OpenForward, events: readonly FedEvent[], to: number): Promise<boolean> => {
    const { id, enabled } = forward;
    const addStatements = (some: readonly FedEvent[], lanes: ReadonlyMap<number, Uint8Array>): InStatement[] => {
      if (some.length === 0) return [];
      if (forward.mode === 'parallel') {
        const seqs = some.map(({ seq }) => seq);
        return [queues.addEventsStatement(forwardQueue, id, seqs, false)];
      }
      const items = some.map(event => {
        const lane = lanes.get(event.seq);
        return { event, ...(lane && { lane }) };
      });
      return queues.addItemsWithoutWakingStatements(forwardQueue, id, items);
    };
    const lanes = forward.mode === 'ordered' ? await lanesOf(forward, events) : new Map<number, Uint8Array>();
    const step = forward.mode === 'ordered' ? addedTogether : Math.max(events.length, 1);
    // While the destination is down or rests, the queue is due only at its next probe.
    const dueAt = forward.probeAt ?? undefined;
    for (let at = 0; at === 0 || at < events.length; at += step) {
      const some = events.slice(at, at + step);
      const end = at + step >= events.length ? to : (some.at(-1)?.seq ?? to);
      const isWritten = await store.writeMoved([
        ...store.movePositionStatements(forward, end),
        ...(some.length === 0 ? [] : queues.createQueueStatements(forwardQueue, id, forward.teamId)),
        ...addStatements(some, lanes),
        ...(some.length === 0 ? [] : queues.wakeStatements(forwardQueue, id, dueAt)),
      ]);
      if (!isWritten) return false;
      forward.position = end;
      if (some.length > 0 && enabled && !isDown(forward)) queues.added(forwardQueue, id);
    }
    return true;
  };

  /** @returns whether there may be more */
  const feed = async (forward: OpenForward, until: number): Promise<boolean> => {
    const { endpointId, position: after, per } = forward;
    for await (const { seqs, position } of matching(forward, { endpointId, where: forward.filter.toString(), after })) {
      const found = seqs.length === 0 ? [] : await store.notRefused(seqs);
      const events = per === 'delivery' && found.length > 0 ? await firstOfDeliveries(forward, found) : found;
      const isNew = events.length > 0 || position > forward.position;
      if (isNew && !(await queueUp(forward, events, position))) return true;
      if (monotonic() >= until) return true;
    }
    return false;
  };

  return createEndpointWatch<OpenForward>({
    name: 'forwards',
    addJob,
    lastSeq: store.lastSeq,
    newEvents: store.newEvents,
    watched: store.endpointsWithForwards,
    watchersOf: store.openOf,
    feed,
    monotonic,
    onError: (error, forward) => onError(error, { forward: forward.id }),
  });
}
