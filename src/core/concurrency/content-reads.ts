/*
 * Reads of the contents of events, which one account must not use up. A few reads of each account and of each team run at the same
 * time, and large events in memory count against a budget (memory-reservations.ts). The other reads wait in line, in order, for a
 * while, and only as long as their clients are there. A running read ends between two slices of its work when its client leaves.
 * Reads must not be nested: the inner one would wait for the place of the outer one. Per process.
 */

import type { MemberAccess } from '../access/principal.ts';
import { AppError } from '../errors.ts';
import type { MemoryReservation, MemoryReservations } from './memory-reservations.ts';
import { createSemaphore } from './semaphore.ts';

/**
 * Who reads. `signal`: aborted when the client disconnects. `isPatient`: it waits in line as long as it takes, as a live stream or an
 * export does, which could only break off.
 */
export type Reader = Pick<MemberAccess, 'accountId' | 'teamId'> & {
  signal?: AbortSignal | undefined;
  isPatient?: boolean;
};

/** One running read. */
export type ContentRead = {
  /** Aborted when the client disconnects. */
  signal: AbortSignal | undefined;
  /**
   * Counts so many bytes, instead of what it counted before: call it before reading large events, when earlier ones are not used any
   * more.
   * @throws the reason of the signal; rate_limited, overloaded when memory stays short
   */
  hold: (bytes: number) => Promise<void>;
  /** The memory that it holds now, for a response that still has the events when the read is over: the response releases it. */
  keep: () => MemoryReservation | undefined;
};

export type ContentReadsOptions = {
  maxPerAccount: number;
  maxPerTeam: number;
  /** Reads of an account that wait for its other ones. */
  maxWaiting: number;
  /** How long a read may wait to begin. */
  maxWaitMs: number;
  memory: MemoryReservations;
};

/** What is read and unpacked to get an event of this size: the event, and what it was unpacked from. */
export const bytesToRead = (size: number): number => 2 * size;

/** A read by background work, which reads one event after the other and has no client. */
export const backgroundRead: ContentRead = { signal: undefined, hold: async () => {}, keep: () => undefined };

const tooManyReads = (): AppError =>
  new AppError('rate_limited', 'too many reads of events of this account are running, try again', {
    retryAfterSeconds: 5,
  });

export type ContentReads = ReturnType<typeof createContentReads>;

export function createContentReads(options: ContentReadsOptions) {
  const { maxPerAccount, maxPerTeam, maxWaiting, maxWaitMs, memory } = options;
  const accounts = createSemaphore(maxPerAccount);
  const teams = createSemaphore(maxPerTeam);
  let running = 0;

  /** @returns ends it @throws the reason of the signal, rate_limited */
  const enter = async ({ accountId, teamId, signal, isPatient }: Reader): Promise<() => void> => {
    if (!isPatient && accounts.waiting(accountId) >= maxWaiting) throw tooManyReads();
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal?.reason);
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave);
    const timeout = isPatient ? undefined : setTimeout(() => leaving.abort(tooManyReads()), maxWaitMs);
    try {
      const leaveAccount = await accounts.acquire(accountId, leaving.signal);
      try {
        const leaveTeam = await teams.acquire(teamId, leaving.signal);
        running++;
        return () => {
          running--;
          leaveTeam();
          leaveAccount();
        };
      } catch (error) {
        leaveAccount();
        throw error;
      }
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', leave);
    }
  };

  return {
    /** How many run now. */
    running: (): number => running,
    /** How many of an account wait for their turn. */
    waiting: accounts.waiting,
    /** Of large events that are read and sent. */
    heldBytes: memory.heldBytes,

    /**
     * Runs `work` when it is the reader's turn. What it holds is released at the end, unless it keeps it.
     * @param reader undefined: background work
     * @throws the reason of the signal when the client leaves; rate_limited, overloaded after a wait
     */
    async run<T>(reader: Reader | undefined, work: (read: ContentRead) => Promise<T>): Promise<T> {
      if (!reader) return work(backgroundRead);
      const { signal } = reader;
      const end = await enter(reader);
      let held: MemoryReservation | undefined;
      try {
        return await work({
          signal,
          async hold(bytes) {
            signal?.throwIfAborted();
            held?.release();
            held = undefined;
            if (bytes > 0) held = await memory.reserve(reader, bytes);
          },
          keep() {
            const kept = held;
            held = undefined;
            return kept;
          },
        });
      } finally {
        held?.release();
        end();
      }
    },
  };
}
