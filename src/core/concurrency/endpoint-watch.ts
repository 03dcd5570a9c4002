/* Feeds watched endpoints that may have new events, after deliveries. An endpoint that no one watches costs a lookup in a set. */

type SliceResult = 'more' | 'done' | { restMs: number };

/** A slice ends with the first step that exceeds this time. */
const sliceMs = 15;
const retryMs = 5000;
/** The time between two slices while deliveries flood in. */
const floodedMs = 5000;

/** `endpoints` undefined: any endpoint may have new events. */
type NewEvents = { upTo: number; endpoints: number[] | undefined };

export type EndpointWatch = ReturnType<typeof createEndpointWatch>;

export function createEndpointWatch<Watcher>(options: {
  name: string;
  addJob: (job: { name: string; slice: () => Promise<SliceResult> }) => { wake: () => void };
  /** The highest row number that any event ever had. */
  lastSeq: () => Promise<number>;
  newEvents: (position: number, last: number) => Promise<NewEvents>;
  /** Row numbers of watched endpoints. @param among if given, only of these */
  watched: (among?: readonly number[]) => Promise<number[]>;
  watchersOf: (endpoint: number) => Promise<Watcher[]>;
  /** Takes new events up to about this time (monotonic ms). @returns whether there may be more */
  feed: (watcher: Watcher, until: number) => Promise<boolean>;
  monotonic: () => number;
  /** Whether deliveries arrive so fast that new events are taken only now and then. */
  isFlooded?: () => boolean;
  /** The watcher is fed again after a while. */
  onError: (error: unknown, watcher: Watcher) => void;
}) {
  const { name, addJob, lastSeq, newEvents, watched, watchersOf, feed, monotonic, isFlooded, onError } = options;
  /** `known`: row numbers of watched endpoints. `dirty`: the ones that may have new events. */
  const known = new Set<number>();
  const dirty = new Set<number>();
  /** Events up to this row number have been looked at. After the start it is unknown, and any endpoint may have new events. */
  let lookedUpTo: number | undefined;
  let refreshes = 0;
  let isStopped = false;
  let slicedAtMs = Number.NEGATIVE_INFINITY;

  const slice = async (): Promise<SliceResult> => {
    const [endpoint] = dirty;
    if (endpoint === undefined) return 'done';
    const restMs = isFlooded?.() ? slicedAtMs + floodedMs - monotonic() : 0;
    if (restMs > 0) return { restMs };
    slicedAtMs = monotonic();
    dirty.delete(endpoint);
    const until = monotonic() + sliceMs;
    const watchers = await watchersOf(endpoint).catch((error: unknown) => {
      // The job is repeated, and nothing else would say again that the endpoint has new events.
      dirty.add(endpoint);
      throw error;
    });
    // Unless a watcher was added since.
    if (watchers.length === 0 && !dirty.has(endpoint)) known.delete(endpoint);
    for (const watcher of watchers) {
      try {
        if (await feed(watcher, until)) dirty.add(endpoint);
      } catch (error) {
        // The other watchers continue.
        onError(error, watcher);
        setTimeout(() => mark(endpoint), retryMs).unref();
      }
    }
    return dirty.size > 0 ? 'more' : 'done';
  };
  const job = addJob({ name, slice });

  const mark = (endpoint: number): void => {
    // The job is awake already for an endpoint that is dirty.
    if (isStopped || !known.has(endpoint) || dirty.has(endpoint)) return;
    dirty.add(endpoint);
    job.wake();
  };

  const add = (endpoint: number): void => {
    known.add(endpoint);
    mark(endpoint);
  };

  const look = async (): Promise<void> => {
    // Read first, so that no event is between the two reads.
    const last = await lastSeq();
    while (lookedUpTo === undefined || lookedUpTo < last) {
      const [from, asked] = [lookedUpTo, refreshes];
      const found = from === undefined ? undefined : await newEvents(from, last);
      for (const endpoint of await watched(found?.endpoints)) add(endpoint);
      // Unless `refresh` was called during the reads.
      if (asked === refreshes) lookedUpTo = found?.upTo ?? last;
    }
  };

  return {
    /** Call it for every stored event. */
    recorded({ endpoint }: { endpoint: number }): void {
      if (known.size > 0 && known.has(endpoint)) mark(endpoint);
    },
    add,
    /** Reads which endpoints are watched, and feeds all of them. Call it at the start, and after watchers were changed elsewhere. */
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
