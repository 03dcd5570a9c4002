/*
 * All live ingest tokens in memory, so that a delivery needs no query before its insert. Changes made by this process apply at
 * once. When other processes share the database, `refresh` loads their changes, and an unknown token is looked up before it is
 * refused.
 *
 * `find` resolves the current token of an active endpoint with one lookup. Only if that fails does it check the tokens of paused
 * endpoints and replaced tokens.
 */
import type { EndpointPolicy } from '../../core/answers/rules.ts';
import { unavailable } from '../../core/errors.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import type { GuardColumns } from './guards.ts';

/** A token that the endpoint had before: replaced at `replacedAt`, accepted until `until`. */
export type PreviousToken = { token: string; replacedAt: number; until: number };

export type RegisteredEndpoint = IngestAddress & {
  id: string;
  teamId: string;
  isPaused: boolean;
  /** Absent without a guard. */
  guarded?: GuardColumns;
  /** Oldest first, including tokens that are no longer accepted. */
  previous: readonly PreviousToken[];
};

export type EndpointRegistry = ReturnType<typeof createEndpointRegistry>;

type RegistryOptions = {
  load: () => Promise<RegisteredEndpoint[]>;
  /** Given when other processes may create and change endpoints. */
  lookUp?: (token: string) => Promise<RegisteredEndpoint | undefined>;
  monotonic: () => number;
  /** Gives a read that a delivery waits for its time limit. */
  limited?: (read: Promise<void>) => Promise<void>;
  /** Whether endpoints may have fixed addresses. */
  takesAddresses?: boolean;
  now: () => number;
};

/** Other tokens cannot exist and are not looked up: random ones, and fixed addresses. */
const randomForm = /^[0-9a-hjkmnp-tv-z]{32}$/;
const anyForm = /^[a-z0-9][a-z0-9-]{2,62}$/;

/**
 * For this long after a rotation, a delivery to the old token may have been recorded as one to the new token: by this process
 * while it saved the rotation, or by a process that had not loaded it yet.
 */
const rotationMs = 10_000;

/**
 * How long after the last load deliveries are accepted if other processes may change endpoints: what their redaction rules remove must
 * not be stored, so that deliveries wait, or fail, when changes can no longer be loaded.
 */
const maxAgeMs = 3000;
/** How often a load is repeated because endpoints were changed during it. */
const maxLoads = 5;

type Tables = {
  byToken: Map<string, IngestAddress>;
  /** Tokens of paused endpoints, and earlier tokens. */
  others: Map<string, { endpoint: RegisteredEndpoint; until: number }>;
  byRow: Map<number, RegisteredEndpoint>;
};
const emptyTables = (): Tables => ({ byToken: new Map(), others: new Map(), byRow: new Map() });

function forget({ byToken, others, byRow }: Tables, { seq, token, previous }: RegisteredEndpoint): void {
  for (const one of [token, ...previous.map(before => before.token)]) {
    byToken.delete(one);
    others.delete(one);
  }
  byRow.delete(seq);
}

function put(tables: Tables, endpoint: RegisteredEndpoint): void {
  const { seq, token, previous, isPaused } = endpoint;
  const known = tables.byRow.get(seq);
  if (known) forget(tables, known);
  tables.byRow.set(seq, endpoint);
  for (const before of previous) tables.others.set(before.token, { endpoint, until: before.until });
  if (isPaused) tables.others.set(token, { endpoint, until: Number.POSITIVE_INFINITY });
  else tables.byToken.set(token, endpoint);
}

export function createEndpointRegistry(options: RegistryOptions) {
  const { load, lookUp, now, monotonic, limited = read => read, takesAddresses = false } = options;
  const tokenForm = takesAddresses ? anyForm : randomForm;
  let tables = emptyTables();
  // A read that began before a change must not undo it.
  let changes = 0;
  let loadedAt = monotonic();
  let reloading: { startedAt: number; done: Promise<void> } | undefined;

  const remove = (matches: (endpoint: RegisteredEndpoint) => boolean): void => {
    changes++;
    for (const endpoint of [...tables.byRow.values()]) if (matches(endpoint)) forget(tables, endpoint);
  };

  /** The address of an earlier token that is still accepted. */
  const previousAddress = ({ others }: Tables, token: string): IngestAddress | undefined => {
    const other = others.get(token);
    if (!other || other.endpoint.isPaused || other.until <= now()) return undefined;
    const { seq, policy } = other.endpoint;
    return { seq, token, isPrevious: true, policy };
  };
  const findInDatabase = async (token: string): Promise<IngestAddress | undefined> => {
    const before = changes;
    const endpoint = await lookUp?.(token);
    if (!endpoint) return undefined;
    const known = changes === before ? tables : emptyTables();
    put(known, endpoint);
    return known.byToken.get(token) ?? previousAddress(known, token);
  };
  const findOther = (token: string): IngestAddress | undefined | Promise<IngestAddress | undefined> =>
    lookUp && !tables.others.has(token) && tokenForm.test(token)
      ? findInDatabase(token)
      : previousAddress(tables, token);

  /** Loads all endpoints, again if one was changed or removed during the load. */
  const refresh = async (): Promise<void> => {
    for (let loads = 0; loads < maxLoads; loads++) {
      const before = changes;
      const startedAt = monotonic();
      const endpoints = await load();
      if (startedAt < loadedAt) return;
      if (changes !== before) continue;
      tables = emptyTables();
      for (const endpoint of endpoints) put(tables, endpoint);
      loadedAt = startedAt;
      return;
    }
  };
  const isOld = (since = loadedAt): boolean => monotonic() - since > maxAgeMs;
  const reload = async (): Promise<void> => {
    await refresh();
    if (isOld()) throw unavailable('the rules of the endpoints cannot be read, try again', 5);
  };
  /** Deliveries that wait share a load, unless it hangs. */
  const sharedReload = (): Promise<void> => {
    if (reloading && !isOld(reloading.startedAt)) return reloading.done;
    const own = { startedAt: monotonic(), done: reload() };
    reloading = own;
    const end = (): void => {
      if (reloading === own) reloading = undefined;
    };
    own.done.then(end, end);
    return own.done;
  };
  /** Loads all endpoints again if they were loaded too long ago. @throws the database's error, or unavailable */
  const upToDate = (): Promise<void> | undefined => (lookUp && isOld() ? limited(sharedReload()) : undefined);
  const find = (token: string) => tables.byToken.get(token) ?? findOther(token);

  return {
    /** The address that accepts deliveries to this token. */
    find: (token: string): IngestAddress | undefined | Promise<IngestAddress | undefined> =>
      upToDate()?.then(() => find(token)) ?? find(token),
    /** What the capture path needs of the endpoint now: it may have changed since the address was found. */
    policyOf: (address: IngestAddress): EndpointPolicy | undefined => (tables.byRow.get(address.seq) ?? address).policy,
    upToDate,

    /** The row number of the endpoint, if the token belongs to a paused endpoint; known after `find`. */
    pausedEndpoint(token: string): number | undefined {
      const other = tables.others.get(token);
      return other?.endpoint.isPaused && other.until > now() ? other.endpoint.seq : undefined;
    },

    /** An endpoint, by its row number; undefined when it is not in memory. */
    endpointOf: (seq: number): Pick<RegisteredEndpoint, 'id' | 'teamId'> | undefined => tables.byRow.get(seq),

    /** The tokens whose URL an endpoint's events of this time may have been sent to, the likeliest first. */
    tokensAt({ seq, token }: IngestAddress, receivedAt: number): string[] {
      const previous = tables.byRow.get(seq)?.previous ?? [];
      const replacedBefore = previous.filter(one => one.replacedAt <= receivedAt);
      const current = previous[replacedBefore.length]?.token ?? token;
      const before = replacedBefore.at(-1);
      return before && receivedAt - before.replacedAt < rotationMs ? [current, before.token] : [current];
    },

    /** Adds the endpoint, or replaces its entry. */
    add(endpoint: RegisteredEndpoint): void {
      changes++;
      // Changes of tokens and pauses do not bring the policy along.
      const policy = endpoint.policy ?? tables.byRow.get(endpoint.seq)?.policy;
      put(tables, policy ? { ...endpoint, policy } : endpoint);
    },
    /** Replaces the rules, the guard or the redaction of an endpoint in the capture path. An empty policy removes all. */
    setPolicy(seq: number, change: (policy: EndpointPolicy) => EndpointPolicy): void {
      changes++;
      const endpoint = tables.byRow.get(seq);
      if (!endpoint) return;
      const { policy: before, ...others } = endpoint;
      const policy = change(before ?? {});
      put(tables, policy.rules || policy.guard || policy.redaction ? { ...others, policy } : others);
    },
    removeById: (id: string): void => remove(endpoint => endpoint.id === id),
    removeTeam: (teamId: string): void => remove(endpoint => endpoint.teamId === teamId),

    refresh,
  };
}
