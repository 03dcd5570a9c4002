/* An index of credentials, so that invalid ones need no query. "No" is always right; "yes" means: ask the database. */

export type CredentialIndex = {
  mayExist: (id: string) => boolean | Promise<boolean>;
  /** Call it after a new credential was stored and before it is returned to its owner. */
  add: (id: string) => void;
  /** Reads all ids again, which drops deleted credentials. */
  reload: () => Promise<void>;
};

export const indexId = (hash: Buffer): string => hash.toString('latin1');
export const hashOfId = (id: string): Buffer => Buffer.from(id, 'latin1');

/** For a database that only this process writes: all ids in memory. Before the first `reload` every credential may exist. */
export function createLocalIndex(load: () => Promise<readonly string[]>): CredentialIndex {
  let known: Set<string> | undefined;
  /** For each reload in progress, the ids added since it began, which its result may lack. */
  const reloads = new Set<Set<string>>();
  return {
    mayExist: id => known === undefined || known.has(id),
    add(id) {
      known?.add(id);
      for (const added of reloads) added.add(id);
    },
    async reload() {
      const added = new Set<string>();
      reloads.add(added);
      try {
        const ids = await load();
        known = new Set(ids);
        for (const id of added) known.add(id);
      } finally {
        reloads.delete(added);
      }
    },
  };
}

const maxCached = 10_000;
const idsPerQuery = 500;

/** For a database that other processes write as well: found ids are cached, other lookups are batched, one query at a time. */
export function createSharedIndex(findExisting: (ids: string[]) => Promise<readonly string[]>): CredentialIndex {
  const cached = new Set<string>();
  const pending = new Map<string, PromiseWithResolvers<boolean>>();
  let isQuerying = false;

  const cache = (id: string): void => {
    // A Set iterates in insertion order, so the first id is the least recently used.
    cached.delete(id);
    cached.add(id);
    const oldest = cached.size > maxCached ? cached.values().next().value : undefined;
    if (oldest !== undefined) cached.delete(oldest);
  };

  const runQueries = async (): Promise<void> => {
    isQuerying = true;
    while (pending.size > 0) {
      const batch = [...pending].slice(0, idsPerQuery);
      for (const [id] of batch) pending.delete(id);
      try {
        const existing = new Set(await findExisting(batch.map(([id]) => id)));
        for (const id of existing) cache(id);
        for (const [id, { resolve }] of batch) resolve(existing.has(id));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    isQuerying = false;
  };

  return {
    mayExist(id) {
      if (cached.has(id)) {
        cache(id);
        return true;
      }
      let lookup = pending.get(id);
      if (!lookup) {
        lookup = Promise.withResolvers<boolean>();
        pending.set(id, lookup);
        if (!isQuerying) void runQueries();
      }
      return lookup.promise;
    },
    add: cache,
    reload: async () => {},
  };
}
