/*
 * The live ingest tokens in memory, so that a delivery costs no query before its own insert. Changes made through this
 * process show at once. When other processes share the database, `refresh` brings theirs in, and an unknown token is
 * looked up before it is refused.
 */
import type { IngestAddress } from '../../ingest/capture.ts';

/** An endpoint's ingest address, and what to remove it by. */
export type RegisteredEndpoint = IngestAddress & { id: string; teamId: string };

export type IngestAddresses = {
  find: (token: string) => RegisteredEndpoint | undefined | Promise<RegisteredEndpoint | undefined>;
  add: (address: RegisteredEndpoint) => void;
  removeById: (id: string) => void;
  removeTeam: (teamId: string) => void;
  /** Brings in what other processes did; skips a turn when something was removed meanwhile. */
  refresh: () => Promise<void>;
};

export type RegistryOptions = {
  load: () => Promise<RegisteredEndpoint[]>;
  /** Given when other processes may create endpoints. */
  lookUp?: (token: string) => Promise<RegisteredEndpoint | undefined>;
};

/** Tokens that cannot exist are not worth a query. */
const tokenForm = /^[0-9a-hjkmnp-tv-z]{32}$/;

export function createIngestAddresses({ load, lookUp }: RegistryOptions): IngestAddresses {
  let byToken = new Map<string, RegisteredEndpoint>();
  // What was read before a removal may not bring back what it removed.
  let removals = 0;

  const add = (address: RegisteredEndpoint): void => {
    byToken.set(address.token, address);
  };
  const remove = (matches: (address: RegisteredEndpoint) => boolean): void => {
    removals++;
    for (const address of byToken.values()) if (matches(address)) byToken.delete(address.token);
  };
  const findLate = async (token: string): Promise<RegisteredEndpoint | undefined> => {
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
