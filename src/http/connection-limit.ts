/*
 * How many connections may be open, overall and per client network. Running out of file descriptors must never happen: accepting
 * then fails in a busy loop of the runtime, which nothing here gets to see. At a limit a new connection takes the place of the one
 * that can best be missed. When there is none it is a guest: only its question whether the server is well is answered.
 */
import { networkOf } from '../core/addresses.ts';

/** What a connection that may have to give way is doing, in the order in which they do. */
const yielding = ['idle', 'linger', 'head', 'flush', 'body'] as const;
type Yielding = (typeof yielding)[number];

/**
 * For how long one must have been at it. A request that keeps arriving for longer than this is slower than it has to be, and so is a
 * reader that takes nothing of its answer.
 */
const usualLeastMs: Record<Yielding, number> = { idle: 0, linger: 2000, head: 1000, flush: 10_000, body: 10_000 };
/** Connections beyond the limits, so that the server can be asked how it is at any time. */
const mostGuests = 8;
const probes = new Set(['/healthz', '/readyz', '/metrics']);
/** Without a connection that had to go for so long, the limit counts as left. */
const calmMs = 60_000;

export type ConnectionLimitOptions = {
  total: number;
  perNetwork: number;
  /** Peers that stand for many clients: they count in the total only. */
  isShared: (peer: string) => boolean;
  /** Called once when connections begin to be closed or refused; `network` when it is one client network's share. */
  onReached: (reached: { open: number; limit: number; network: string | undefined }) => void;
  /** Called once it has not been reached for a while. */
  onLeft: (counts: { closed: number; refused: number }) => void;
  /** For tests: other times than the usual ones after which a connection may have to give way. */
  leastMs?: Partial<Record<Yielding, number>>;
};

/** What a guest may ask for. */
export const isProbe = (path: string): boolean => probes.has(path);

/** A counted connection. */
export type Place = {
  isGuest: boolean;
  /** Called at each change of what it is doing; phases that never yield have any other name. */
  enter: (phase: string) => void;
  /** To be called every second or so of an answer: one that its reader does not take can be missed as much as one that was given. */
  lookAtReader: (socket: { writableNeedDrain: boolean; bytesWritten: number }) => void;
  leave: () => void;
};

type Member = { since: number; phase: string; giveWay: () => void; leave: () => void };

/** Connections that are counted together; those that may yield are ordered by how long they have been at it. */
function createGroup(leastMs: Record<Yielding, number>) {
  const byPhase = new Map<string, Set<Member>>(yielding.map(phase => [phase, new Set()]));
  return {
    size: 0,
    move(member: Member, phase: string): void {
      byPhase.get(member.phase)?.delete(member);
      byPhase.get(phase)?.add(member);
    },
    dispensable(now: number): Member | undefined {
      for (const phase of yielding)
        for (const member of byPhase.get(phase) ?? []) {
          if (now - member.since >= leastMs[phase]) return member;
          break;
        }
      return undefined;
    },
  };
}
type Group = ReturnType<typeof createGroup>;

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>;

/** @param now milliseconds; coarse is enough */
export function createConnectionLimit(options: ConnectionLimitOptions, now: () => number) {
  const { total, perNetwork, isShared, onReached, onLeft } = options;
  const leastMs = { ...usualLeastMs, ...options.leastMs };
  const all = createGroup(leastMs);
  const networks = new Map<string, Group>();
  const guests = createGroup(leastMs);
  let counts = { closed: 0, refused: 0 };
  let reachedAt: number | undefined;

  /** @returns whether there is a place now */
  const makeRoom = (group: Group, limit: number): boolean => {
    if (group.size < limit) return true;
    const member = group.dispensable(now());
    if (!member) return false;
    counts.closed++;
    member.leave();
    member.giveWay();
    return true;
  };
  const isFull = (group: Group, limit: number, network: string | undefined): boolean => {
    if (group.size < limit) return false;
    if (reachedAt === undefined) onReached({ open: all.size, limit, network });
    reachedAt = now();
    return !makeRoom(group, limit);
  };

  const join = (groups: readonly Group[], isGuest: boolean, giveWay: () => void, onLeave: () => void): Place => {
    let isOpen = true;
    /** What had been written when the reader stopped. */
    let stuckAt: number | undefined;
    const enter = (phase: string): void => {
      if (!isOpen) return;
      stuckAt = undefined;
      for (const group of groups) group.move(member, phase);
      member.phase = phase;
      member.since = now();
    };
    const lookAtReader: Place['lookAtReader'] = ({ writableNeedDrain, bytesWritten }) => {
      const at = writableNeedDrain ? bytesWritten : undefined;
      if (at === stuckAt) return;
      enter(writableNeedDrain ? 'flush' : 'answer');
      stuckAt = at;
    };
    const leave = (): void => {
      if (!isOpen) return;
      enter('gone');
      isOpen = false;
      for (const group of groups) group.size--;
      onLeave();
    };
    const member: Member = { since: now(), phase: '', giveWay, leave };
    for (const group of groups) group.size++;
    enter('head');
    return { isGuest, enter, lookAtReader, leave };
  };

  return {
    /**
     * A place for a new connection; undefined when it has to be closed.
     * @param giveWay closes it at once
     */
    take(peer: string | undefined, giveWay: () => void): Place | undefined {
      const network = peer === undefined || isShared(peer) ? undefined : networkOf(peer);
      const own = network === undefined ? undefined : (networks.get(network) ?? createGroup(leastMs));
      if ((own && isFull(own, perNetwork, network)) || isFull(all, total, undefined)) {
        counts.refused++;
        return makeRoom(guests, mostGuests) ? join([guests], true, giveWay, () => {}) : undefined;
      }
      if (!own || network === undefined) return join([all], false, giveWay, () => {});
      networks.set(network, own);
      return join([all, own], false, giveWay, () => {
        if (own.size === 0) networks.delete(network);
      });
    },

    /** To be called now and then. */
    look(): void {
      if (reachedAt === undefined || now() - reachedAt < calmMs) return;
      const seen = counts;
      reachedAt = undefined;
      counts = { closed: 0, refused: 0 };
      onLeft(seen);
    },
  };
}
