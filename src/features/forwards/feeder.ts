/*
 * Adds the events of endpoints with forwards to the queues, in the order in which they were stored. Items and the new position
 * are written in one transaction, so that a kill neither loses nor duplicates an event. It works in the background, after
 * deliveries.
 */
import type { InStatement } from '@libsql/client';
import type { TeamAccess } from '../../core/access/principal.ts';
import { forwardQueue } from '../../core/forward.ts';
import type { QueuesService } from '../queues/service.ts';
import { isDown } from './health.ts';
import type { FedEvent, ForwardsStore, OpenForward } from './store.ts';

type SliceResult = 'more' | 'done' | { restMs: number };

/** A slice ends with the first step that exceeds this time. */
const sliceMs = 15;
/** How many events with lanes one transaction adds: each needs a statement of its own. */
const addedTogether = 64;
const retryMs = 5000;

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
  addJob: (job: { name: string; slice: () => Promise<SliceResult> }) => { wake: () => void };
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
  /** `known`: row numbers of endpoints with forwards. `dirty`: the ones that may have new events. */
  const known = new Set<number>();
  const dirty = new Set<number>();
  /** Events up to this row number have been looked at. After the start it is unknown, and any endpoint may have unfed events. */
  let lookedUpTo: number | undefined;
  let refreshes = 0;
  let isStopped = false;

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

  const slice = async (): Promise<SliceResult> => {
    const [endpoint] = dirty;
    if (endpoint === undefined) return 'done';
    dirty.delete(endpoint);
    const until = monotonic() + sliceMs;
    const forwards = await store.openOf(endpoint).catch((error: unknown) => {
      // The job is repeated, and nothing else would say again that the endpoint has new events.
      dirty.add(endpoint);
      throw error;
    });
    // Unless a forward was added since.
    if (forwards.length === 0 && !dirty.has(endpoint)) known.delete(endpoint);
    for (const forward of forwards) {
      try {
        if (await feed(forward, until)) dirty.add(endpoint);
      } catch (error) {
        // The other forwards continue.
        onError(error, { forward: forward.id });
        setTimeout(() => mark(endpoint), retryMs).unref();
      }
    }
    return dirty.size > 0 ? 'more' : 'done';
  };
  const job = addJob({ name: 'forwards', slice });

  const mark = (endpoint: number): void => {
    if (isStopped || !known.has(endpoint)) return;
    dirty.add(endpoint);
    job.wake();
  };

  const add = (endpoint: number): void => {
    known.add(endpoint);
    mark(endpoint);
  };

  const look = async (): Promise<void> => {
    // Read first, so that no event is between the two reads.
    const last = await store.lastSeq();
    while (lookedUpTo === undefined || lookedUpTo < last) {
      const [from, asked] = [lookedUpTo, refreshes];
      const found = from === undefined ? undefined : await store.newEvents(from, last);
      for (const endpoint of await store.endpointsWithForwards(found?.endpoints)) add(endpoint);
      // Unless `refresh` was called during the reads.
      if (asked === refreshes) lookedUpTo = found?.upTo ?? last;
    }
  };

  return {
    /** Call it for every stored event. Without forwards, it costs a lookup in an empty set. */
    recorded({ endpoint }: { endpoint: number }): void {
      if (known.size > 0 && known.has(endpoint)) mark(endpoint);
    },
    /** Call it when an endpoint gets a forward. */
    add,
    /** Reads which endpoints have forwards, and feeds all of them. Call it at the start, and after forwards were changed elsewhere. */
    async refresh(): Promise<void> {
      lookedUpTo = undefined;
      refreshes++;
      await look();
    },
    /** Feeds the endpoints that have new events, whichever process stored them. Without new events, it costs one query. */
    look,
    stop(): void {
      isStopped = true;
    },
  };
}
