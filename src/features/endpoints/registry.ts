/*
 * The live ingest tokens in memory, so that a delivery costs no query before its own insert. Changes made through this
 * process show at once. When other processes share the database, `refresh` brings theirs in, and an unknown token is
 * looked up before it is refused.
 */

export type IngestAddress = { seq: number; id: string; teamId: string; token: string };

export type IngestAddresses = {
  find: (token: string) => IngestAddress | undefined | Promise<IngestAddress | undefined>;
  add: (address: IngestAddress) => void;
  removeById: (id: string) => void;
  removeTeam: (teamId: string) => void;
  /** Brings in what other processes did; skips a turn when something was removed meanwhile. */
  refresh: () => Promise<void>;
};

export type RegistryOptions = {
  load: () => Promise<IngestAddress[]>;
  /** Given when other processes may create endpoints. */
  lookUp?: (token: string) => Promise<IngestAddress | undefined>;
};

/** Tokens that cannot exist are not worth a query. */
const tokenForm = /^[0-9a-hjkmnp-tv-z]{32}$/;

export function createIngestAddresses({ load, lookUp }: RegistryOptions): IngestAddresses {
  let byToken = new Map<string, IngestAddress>();
  // What was read before a removal may not bring back what it removed.
  let removals = 0;

  const add = (address: IngestAddress): void => {
    byToken.set(address.token, address);
  };
  const remove = (matches: (address: IngestAddress) => boolean): void => {
    removals++;
    for (const address of byToken.values()) if (matches(address)) byToken.delete(address.token);
  };
  const findLate = async (token: string): Promise<IngestAddress | undefined> => {
    const before = removals;
    const address = await lookUp?.(token);
    if (address && removals === before) add(address);
    return address;
  };

  return {
    find: token => byToken.get(token) ?? (lookUp && tokenForm.test(token) ? findLate(token) : undefined),
    add,
    removeById: id => remove(address => address.id === id),
    removeTeam: teamId => remove(address => address.teamId === teamId),
    async refresh() {
      const before = removals;
      const addresses = await load();
      if (removals !== before) return;
      byToken = new Map(addresses.map(address => [address.token, address]));
    },
  };
}
