/*
 * Which credentials exist, so that an invented one is refused without a database query of its own. "No" is always right;
 * "yes" only means that the database has to be asked, so a revoked credential may stay in here for a while.
 */

export type CredentialIndex = {
  /** false: certainly no such credential. */
  mayExist: (id: string) => boolean | Promise<boolean>;
  /** To be called once a new credential is stored, before its owner gets it. */
  add: (id: string) => void;
  /** Reads all ids again, which drops those that are gone. */
  reload: () => Promise<void>;
};

/** The id of a credential that is stored as a hash. */
export const indexId = (hash: Buffer): string => hash.toString('latin1');
export const hashOfId = (id: string): Buffer => Buffer.from(id, 'latin1');

/** For a database that only this process writes: all ids in memory. Before the first `reload` everything may exist. */
export function createLocalIndex(load: () => Promise<readonly string[]>): CredentialIndex {
  let known: Set<string> | undefined;
  /** What was added while ids are being read, and may be missing from what is read. */
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

const maxFamiliar = 10_000;
const idsPerQuery = 500;

type Waiting = { promise: Promise<boolean>; settle: (outcome: boolean | Promise<never>) => void };

/**
 * For a database that other processes write, too: ids that were found once are familiar, and all others that are asked for at
 * the same time share one query, one query after the other.
 * @param findExisting those of the given ids that exist
 */
export function createSharedIndex(findExisting: (ids: string[]) => Promise<readonly string[]>): CredentialIndex {
  const familiar = new Set<string>();
  const waiting = new Map<string, Waiting>();
  let isAsking = false;

  const remember = (id: string): void => {
    // A Set goes by order of insertion: taken out and put back, an id is the newest.
    familiar.delete(id);
    familiar.add(id);
    const oldest = familiar.size > maxFamiliar ? familiar.values().next().value : undefined;
    if (oldest !== undefined) familiar.delete(oldest);
  };

  const ask = async (): Promise<void> => {
    isAsking = true;
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
    isAsking = false;
  };

  return {
    mayExist(id) {
      if (familiar.has(id)) {
        remember(id);
        return true;
      }
      let asked = waiting.get(id);
      if (!asked) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        asked = { promise, settle: resolve };
        waiting.set(id, asked);
        if (!isAsking) void ask();
      }
      return asked.promise;
    },
    add: remember,
    reload: async () => {},
  };
}
