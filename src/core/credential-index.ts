/*
 * Which credentials exist, so that a made-up one is refused without a database query of its own. "No" is always right; "maybe"
 * means that the database must decide, so a revoked credential may stay in the index for a while.
 */

export type CredentialIndex = {
  /** false: there is certainly no such credential. */
  mayExist: (id: string) => boolean | Promise<boolean>;
  /** Call it when a new credential has been stored, before its owner gets it. */
  add: (id: string) => void;
  /** Reads all ids again, without those that were removed. */
  reload: () => Promise<void>;
};

/** The id of a credential that is stored as a hash. */
export const indexId = (hash: Buffer): string => hash.toString('latin1');
export const hashOfId = (id: string): Buffer => Buffer.from(id, 'latin1');

/** For a database that only this process writes: all ids in memory. Before the first `reload` everything may exist. */
export function createLocalIndex(load: () => Promise<readonly string[]>): CredentialIndex {
  let known: Set<string> | undefined;
  /** Ids that are added during a reload: the result of its query may lack them. */
  const loading = new Set<Set<string>>();
  return {
    mayExist: id => known === undefined || known.has(id),
    add(id) {
      known?.add(id);
      for (const added of loading) added.add(id);
    },
    async reload() {
      const added = new Set<string>();
      loading.add(added);
      try {
        const ids = await load();
        known = new Set(ids);
        for (const id of added) known.add(id);
      } finally {
        loading.delete(added);
      }
    },
  };
}

const maxRecentIds = 10_000;
const idsPerQuery = 500;

type Waiting = { promise: Promise<boolean>; settle: (outcome: boolean | Promise<never>) => void };

/**
 * For a database that other processes write too: the ids found last are in memory, and all others that are looked up at the
 * same time share one query. Queries run one after the other.
 * @param findExisting returns the given ids that exist
 */
export function createSharedIndex(findExisting: (ids: string[]) => Promise<readonly string[]>): CredentialIndex {
  const recent = new Set<string>();
  const waiting = new Map<string, Waiting>();
  let isQuerying = false;

  const remember = (id: string): void => {
    // A Set keeps the order of insertion: deleting and adding makes an id the newest.
    recent.delete(id);
    recent.add(id);
    const oldest = recent.size > maxRecentIds ? recent.values().next().value : undefined;
    if (oldest !== undefined) recent.delete(oldest);
  };

  const queryWaiting = async (): Promise<void> => {
    isQuerying = true;
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, idsPerQuery);
      for (const [id] of batch) waiting.delete(id);
      try {
        const existing = new Set(await findExisting(batch.map(([id]) => id)));
        for (const id of existing) remember(id);
        for (const [id, { settle }] of batch) settle(existing.has(id));
      } catch (error) {
        for (const [, { settle }] of batch) settle(Promise.reject(error));
      }
    }
    isQuerying = false;
  };

  return {
    mayExist(id) {
      if (recent.has(id)) {
        remember(id);
        return true;
      }
      let lookup = waiting.get(id);
      if (!lookup) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        lookup = { promise, settle: resolve };
        waiting.set(id, lookup);
        if (!isQuerying) void queryWaiting();
      }
      return lookup.promise;
    },
    add: remember,
    reload: async () => {},
  };
}
