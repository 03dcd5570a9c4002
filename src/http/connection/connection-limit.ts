/*
 * How many connections may be open, overall and per client network. The process must never run out of file descriptors: Bun then
 * fails to accept in a busy loop that this code cannot see. At a limit, a new connection takes the place of the connection that
 * is most expendable. When none is, it gets a reserved connection, on which only health probes are answered, or is closed.
 */
import { networkOf } from '../../shared/addresses.ts';

/** Phases in which a connection may be closed for a new connection, most expendable first. */
const evictionOrder = ['idle', 'closing', 'head', 'flush', 'body'] as const;
type EvictablePhase = (typeof evictionOrder)[number];

/**
 * How long a connection must have been in the phase. A request that takes longer than this to arrive is slower than it has to be,
 * and so is a client that reads nothing of its response for that time.
 */
const defaultMinPhaseMs: Record<EvictablePhase, number> = {
  idle: 0,
  closing: 2000,
  head: 1000,
  flush: 10_000,
  body: 10_000,
};
/** Connections beyond the limits, so that health probes are answered at any time. */
const maxReserved = 8;
const probePaths = new Set(['/healthz', '/readyz', '/metrics']);
/** After this time without an eviction or a refusal, the limit counts as no longer reached. */
const recoveryMs = 60_000;

export type ConnectionLimitOptions = {
  total: number;
  perNetwork: number;
  /** Peers with many clients behind them, such as a proxy: they count only in the total. */
  isShared: (peer: string) => boolean;
  /** Called once when connections begin to be closed or refused; `network` when it is one client network's share. */
  onReached: (reached: { open: number; limit: number; network: string | undefined }) => void;
  /** Called once when the limit has not been reached for a while. */
  onLeft: (counts: { closed: number; refused: number }) => void;
  /** Other minimum times, for tests. */
  minPhaseMs?: Partial<Record<EvictablePhase, number>>;
};

/** Whether a path is answered on a reserved connection. */
export const isProbePath = (path: string): boolean => probePaths.has(path);

/** A connection that counts against the limits. */
export type ConnectionSlot = {
  isReserved: boolean;
  /** To be called at each change of phase. */
  setPhase: (phase: string) => void;
  /** To be called every second or so of a response: a client that does not read it may be evicted. */
  checkReader: (socket: { writableNeedDrain: boolean; bytesWritten: number }) => void;
  release: () => void;
};

type Member = { phaseStartedAt: number; evict: () => void; release: () => void };

/** A connection's place in one group. */
type Place = { member: Member; line: Line | undefined; before: Place | undefined; after: Place | undefined };

/**
 * Connections in the order in which they joined. It is no Set, because every delivery moves its connection several times: a Set
 * that something is always added to and removed from allocates a new table each time it is full of removed entries, and an old
 * table keeps all later ones in memory until the next full garbage collection (tens of MB under load).
 */
function createLine() {
  let first: Place | undefined;
  let last: Place | undefined;
  return {
    first: (): Member | undefined => first?.member,
    join(place: Place): void {
      place.before = last;
      if (last) last.after = place;
      else first = place;
      last = place;
    },
    leave(place: Place): void {
      const { before, after } = place;
      if (before) before.after = after;
      else first = after;
      if (after) after.before = before;
      else last = before;
      place.before = undefined;
      place.after = undefined;
    },
  };
}
type Line = ReturnType<typeof createLine>;

/** Connections that share a limit. Connections in an evictable phase are ordered by their time in it. */
function createGroup(minPhaseMs: Record<EvictablePhase, number>) {
  const byPhase = new Map<string, Line>(evictionOrder.map(phase => [phase, createLine()]));
  return {
    size: 0,
    move(place: Place, phase: string): void {
      place.line?.leave(place);
      place.line = byPhase.get(phase);
      place.line?.join(place);
    },
    evictable(now: number): Member | undefined {
      for (const phase of evictionOrder) {
        const oldest = byPhase.get(phase)?.first();
        if (oldest && now - oldest.phaseStartedAt >= minPhaseMs[phase]) return oldest;
      }
      return undefined;
    },
  };
}
type Group = ReturnType<typeof createGroup>;

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>;

/** @param now milliseconds; a coarse clock is enough */
export function createConnectionLimit(options: ConnectionLimitOptions, now: () => number) {
  const { total, perNetwork, isShared, onReached, onLeft } = options;
  const minPhaseMs = { ...defaultMinPhaseMs, ...options.minPhaseMs };
  const all = createGroup(minPhaseMs);
  const networks = new Map<string, Group>();
  const reserved = createGroup(minPhaseMs);
  let counts = { closed: 0, refused: 0 };
  let reachedAt: number | undefined;

  /** Closes the most expendable connection if the group is full. @returns whether a connection can be added */
  const freePlace = (group: Group, limit: number): boolean => {
    if (group.size < limit) return true;
    const member = group.evictable(now());
    if (!member) return false;
    counts.closed++;
    member.release();
    member.evict();
    return true;
  };
  const isFull = (group: Group, limit: number, network: string | undefined): boolean => {
    if (group.size < limit) return false;
    if (reachedAt === undefined) onReached({ open: all.size, limit, network });
    reachedAt = now();
    return !freePlace(group, limit);
  };

  const join = (
    groups: readonly Group[],
    isReserved: boolean,
    evict: () => void,
    onRelease: () => void,
  ): ConnectionSlot => {
    let isOpen = true;
    /** The socket's `bytesWritten` when the client stopped reading. */
    let stalledAt: number | undefined;
    const setPhase = (phase: string): void => {
      if (!isOpen) return;
      stalledAt = undefined;
      for (const [group, place] of places) group.move(place, phase);
      member.phaseStartedAt = now();
    };
    const checkReader: ConnectionSlot['checkReader'] = ({ writableNeedDrain, bytesWritten }) => {
      const at = writableNeedDrain ? bytesWritten : undefined;
      if (at === stalledAt) return;
      setPhase(writableNeedDrain ? 'flush' : 'response');
      stalledAt = at;
    };
    const release = (): void => {
      if (!isOpen) return;
      setPhase('released');
      isOpen = false;
      for (const group of groups) group.size--;
      onRelease();
    };
    const member: Member = { phaseStartedAt: now(), evict, release };
    const places = groups.map((group): [Group, Place] => {
      group.size++;
      return [group, { member, line: undefined, before: undefined, after: undefined }];
    });
    setPhase('head');
    return { isReserved, setPhase, checkReader, release };
  };

  return {
    /**
     * Counts a new connection, after closing another connection if that is necessary and possible.
     * @param evict closes it at once
     * @returns undefined when the connection has to be closed
     */
    admit(peer: string | undefined, evict: () => void): ConnectionSlot | undefined {
      const network = peer === undefined || isShared(peer) ? undefined : networkOf(peer);
      const own = network === undefined ? undefined : (networks.get(network) ?? createGroup(minPhaseMs));
      if ((own && isFull(own, perNetwork, network)) || isFull(all, total, undefined)) {
        counts.refused++;
        return freePlace(reserved, maxReserved) ? join([reserved], true, evict, () => {}) : undefined;
      }
      if (!own || network === undefined) return join([all], false, evict, () => {});
      networks.set(network, own);
      return join([all, own], false, evict, () => {
        if (own.size === 0) networks.delete(network);
      });
    },

    /** Calls `onLeft` when it is due. To be called periodically. */
    checkRecovered(): void {
      if (reachedAt === undefined || now() - reachedAt < recoveryMs) return;
      const finished = counts;
      reachedAt = undefined;
      counts = { closed: 0, refused: 0 };
      onLeft(finished);
    },
  };
}
