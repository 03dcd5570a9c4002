/*
 * All live ingest tokens in memory, so that a delivery needs no query before its insert. Changes made by this process apply at
 * once. When other processes share the database, `refresh` loads their changes, and an unknown token is looked up before it is
 * refused.
 */
import type { IngestAddress } from '../../ingest/capture.ts';

export type RegisteredEndpoint = IngestAddress & { id: string; teamId: string };

export type EndpointRegistry = {
  find: (token: string) => RegisteredEndpoint | undefined | Promise<RegisteredEndpoint | undefined>;
  add: (endpoint: RegisteredEndpoint) => void;
  removeById: (id: string) => void;
  removeTeam: (teamId: string) => void;
  /** Loads all endpoints; the result is discarded when one was removed meanwhile. */
  refresh: () => Promise<void>;
};

type RegistryOptions = {
  load: () => Promise<RegisteredEndpoint[]>;
  /** Given when other processes may create endpoints. */
  lookUp?: (token: string) => Promise<RegisteredEndpoint | undefined>;
};

/** Other tokens cannot exist and are not looked up. */
const tokenForm = /^[0-9a-hjkmnp-tv-z]{32}$/;

export function createEndpointRegistry({ load, lookUp }: RegistryOptions): EndpointRegistry {
  let byToken = new Map<string, RegisteredEndpoint>();
  // A read that began before a removal must not bring the endpoint back.
  let removals = 0;

  const add = (endpoint: RegisteredEndpoint): void => {
    byToken.set(endpoint.token, endpoint);
  };
  const remove = (matches: (endpoint: RegisteredEndpoint) => boolean): void => {
    removals++;
    for (const endpoint of byToken.values()) if (matches(endpoint)) byToken.delete(endpoint.token);
  };
  const findInDatabase = async (token: string): Promise<RegisteredEndpoint | undefined> => {
    const before = removals;
    const endpoint = await lookUp?.(token);
    if (endpoint && removals === before) add(endpoint);
    return endpoint;
  };

  return {
    find: token => byToken.get(token) ?? (lookUp && tokenForm.test(token) ? findInDatabase(token) : undefined),
    add,
    removeById: id => remove(endpoint => endpoint.id === id),
    removeTeam: teamId => remove(endpoint => endpoint.teamId === teamId),
    async refresh() {
      const before = removals;
      const endpoints = await load();
      if (removals !== before) return;
      byToken = new Map(endpoints.map(endpoint => [endpoint.token, endpoint]));
    },
  };
}
