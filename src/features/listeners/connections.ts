/*
 * The listeners that are connected to this process, and the replays that wait for them. Everything is in memory, because a replay
 * has a deadline of seconds, and a listener calls again within that time. A connection lasts from a listener's first call until
 * it has stopped calling for a while. It is *present*, and gets new replays, while a call waits and for a moment after each
 * response.
 */
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { newToken, type RandomBytes } from '../../core/ids/ids.ts';
import type { Listener } from './model.ts';

/** The request that a replay sends, made from an event. */
export type ReplayToListener = {
  /** The event's row number. */
  seq: number;
  query: string | null;
  method: string;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  isSigned: boolean;
  isEdited: boolean;
};

/** `destination`: the URL that the listener sent to; null if it reported none. */
export type ListenerOutcome =
  | {
      kind: 'answered';
      destination: string | null;
      status: number;
      headers: readonly HeaderPair[];
      preview: Uint8Array;
      truncated: boolean;
      durationMs: number;
    }
  | { kind: 'unreachable'; destination: string | null; reason: string; durationMs: number }
  /** No listener was present, so nothing was sent. */
  | { kind: 'absent' };
export type Settled = Exclude<ListenerOutcome, { kind: 'absent' }>;

/** A replay that waits for a listener, or that a listener has taken. */
export type Pending = {
  id: string;
  replay: ReplayToListener;
  /** Monotonic. */
  deadlineAt: number;
  settle: (outcome: Settled | { kind: 'unreachable'; reason: string }) => void;
  settled: Promise<Settled>;
};

export type Identity = { endpoint: number; name: string; instance: string; accountId: string };

export type Connection = Identity & {
  email: string;
  targets: readonly string[];
  connectedAt: number;
  /** In the order in which connections were made; the clock may jump. */
  number: number;
  /** Replays that it has not taken. */
  waiting: Pending[];
  taken: Map<string, Pending>;
  isPresent: boolean;
  calls: number;
  /** Identifies the waiting call; a newer call replaces it. */
  waiter: symbol | undefined;
  /** Makes the waiting call check again. */
  wake: (() => void) | undefined;
  graceTimer: ReturnType<typeof setTimeout> | undefined;
};

const maxPerEndpoint = 50;
const maxPerAccount = 50;
/** For all accounts of the team together. */
const maxPendingPerConnection = 50;
const defaultGraceMs = 10_000;

export type Connections = ReturnType<typeof createConnections>;

export function createConnections(options: {
  clock: Clock;
  random: RandomBytes;
  /** How long a connection lasts after a call. */
  graceMs?: number;
}) {
  const { clock, random, graceMs = defaultGraceMs } = options;
  const byEndpoint = new Map<number, Map<string, Connection>>();
  const perAccount = new Map<string, number>();
  let made = 0;

  const find = ({ endpoint, ...identity }: Identity): Connection | undefined =>
    byEndpoint.get(endpoint)?.get(keyOf(identity));

  /** @throws rate_limited beyond the limits */
  const add = (identity: Identity, email: string): Connection => {
    const own = byEndpoint.get(identity.endpoint) ?? new Map<string, Connection>();
    const count = perAccount.get(identity.accountId) ?? 0;
    const refuse = (whose: string, most: number): AppError =>
      new AppError('rate_limited', `at most ${most} listeners of ${whose} at once`, { retryAfterSeconds: 5 });
    if (own.size >= maxPerEndpoint) throw refuse('an endpoint', maxPerEndpoint);
    if (count >= maxPerAccount) throw refuse('an account', maxPerAccount);
    const connection: Connection = {
      ...identity,
      email,
      targets: [],
      connectedAt: clock.now(),
      number: ++made,
      waiting: [],
      taken: new Map(),
      isPresent: true,
      calls: 0,
      waiter: undefined,
      wake: undefined,
      graceTimer: undefined,
    };
    byEndpoint.set(identity.endpoint, own.set(keyOf(identity), connection));
    perAccount.set(identity.accountId, count + 1);
    return connection;
  };

  const remove = (connection: Connection): void => {
    if (find(connection) !== connection) return;
    const own = byEndpoint.get(connection.endpoint);
    own?.delete(keyOf(connection));
    if (own?.size === 0) byEndpoint.delete(connection.endpoint);
    const count = (perAccount.get(connection.accountId) ?? 1) - 1;
    if (count === 0) perAccount.delete(connection.accountId);
    else perAccount.set(connection.accountId, count);
    clearTimeout(connection.graceTimer);
    connection.isPresent = false;
    for (const pending of [...connection.waiting, ...connection.taken.values()])
      pending.settle({ kind: 'unreachable', reason: 'the listener has disconnected' });
    connection.wake?.();
  };

  const present = (endpoint: number): Connection[] =>
    [...(byEndpoint.get(endpoint)?.values() ?? [])].filter(({ isPresent }) => isPresent);

  const createPending = (replay: ReplayToListener, timeoutMs: number): Pending => {
    const { promise: settled, resolve } = Promise.withResolvers<Settled>();
    const startedAt = clock.monotonic();
    return {
      id: newToken(random),
      replay,
      deadlineAt: startedAt + timeoutMs,
      settled,
      settle: outcome =>
        resolve({ destination: null, durationMs: Math.round(clock.monotonic() - startedAt), ...outcome }),
    };
  };

  return {
    find,

    /** A call of the listener begins. @throws rate_limited beyond the limits */
    enter(identity: Identity, { email, targets }: { email: string; targets: readonly string[] }): Connection {
      const connection = find(identity) ?? add(identity, email);
      clearTimeout(connection.graceTimer);
      connection.calls++;
      return Object.assign(connection, { targets, isPresent: true });
    },

    /** The call ends. `isLost`: the client has closed it. */
    leave(connection: Connection, isLost: boolean): void {
      connection.calls--;
      if (connection.calls > 0 || find(connection) !== connection) return;
      connection.isPresent = !isLost;
      if (isLost && connection.taken.size + connection.waiting.length === 0) remove(connection);
      else connection.graceTimer = setTimeout(() => remove(connection), graceMs);
    },

    /** Returns replays that did not reach the listener to the waiting ones. */
    giveAgain({ waiting, taken }: Connection, running: readonly string[]): void {
      for (const [id, pending] of taken) {
        if (running.includes(id)) continue;
        taken.delete(id);
        waiting.push(pending);
      }
    },

    /**
     * A call begins to wait. An earlier call, which probably lost its client, ends. @returns whether this call is still the
     * waiting one
     */
    startWaiting(connection: Connection): () => boolean {
      const own = Symbol();
      connection.waiter = own;
      connection.wake?.();
      return () => connection.waiter === own && find(connection) === connection;
    },

    remove,

    /** @returns whether a replay waits; false after `ms` without one */
    wait: (connection: Connection, ms: number, signal: AbortSignal | undefined): Promise<boolean> =>
      new Promise(resolve => {
        const end = (isWoken: boolean): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          if (connection.wake === wake) connection.wake = undefined;
          resolve(isWoken);
        };
        const wake = (): void => end(true);
        const timer = setTimeout(end, ms, false);
        connection.wake = wake;
        if (signal?.aborted) wake();
        else signal?.addEventListener('abort', wake);
      }),

    /** Sends a replay to the newest listener of that name. @throws rate_limited when too many wait for it */
    async send(
      to: { endpoint: number; name: string },
      replay: ReplayToListener,
      { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
    ): Promise<ListenerOutcome> {
      const [connection] = present(to.endpoint)
        .filter(({ name }) => name === to.name)
        .sort((a, b) => b.number - a.number);
      if (!connection) return { kind: 'absent' };
      const { waiting, taken } = connection;
      if (waiting.length + taken.size >= maxPendingPerConnection)
        throw new AppError('rate_limited', 'too many replays wait for this listener', { retryAfterSeconds: 1 });
      const pending = createPending(replay, timeoutMs);
      const fail = (reason: string): void => pending.settle({ kind: 'unreachable', reason });
      const timer = setTimeout(() => fail(`no answer of the listener within ${timeoutMs / 1000} s`), timeoutMs);
      const cancel = (): void => fail('the request was cancelled');
      signal.addEventListener('abort', cancel);
      if (signal.aborted) cancel();
      waiting.push(pending);
      connection.wake?.();
      try {
        return await pending.settled;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        taken.delete(pending.id);
        const at = waiting.indexOf(pending);
        if (at >= 0) waiting.splice(at, 1);
      }
    },

    /** The newest connection of each name, in the order of names. */
    list(endpoint: number): Listener[] {
      const byName = Map.groupBy(present(endpoint), ({ name }) => name);
      return [...byName.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, same]) => {
          const newest = same.reduce((a, b) => (a.number > b.number ? a : b));
          const { targets, email, connectedAt } = newest;
          return { name, targets: [...targets], connectedBy: email, connectedAt, connections: same.length };
        });
    },

    /** Makes every waiting call check whether it may continue. */
    wakeAll(): void {
      for (const own of byEndpoint.values()) for (const { wake } of own.values()) wake?.();
    },

    count: (): number => [...perAccount.values()].reduce((sum, count) => sum + count, 0),
  };
}

const keyOf = ({ name, instance, accountId }: Omit<Identity, 'endpoint'>): string => `${name} ${instance} ${accountId}`;
