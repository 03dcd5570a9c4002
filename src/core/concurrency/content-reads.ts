/*
 * Limits the reads of events' contents, so that one account cannot use up all of them. A few reads of each account and each team
 * run at the same time, and large events in memory count against a budget (memory-reservations.ts). Other reads wait in line for
 * a limited time, and only while their clients stay connected. If the client of a running read disconnects, the read ends after
 * the current slice of its work. Reads must not be nested: the inner one would wait for the place of the outer one. Limits count
 * per process.
 */

import type { MemberAccess } from '../access/principal.ts';
import { AppError } from '../errors.ts';
import type { MemoryReservation, MemoryReservations } from './memory-reservations.ts';
import { createSemaphore } from './semaphore.ts';

/**
 * Who reads. `signal`: aborted when the client disconnects. `isPatient`: it waits in line without a time limit, like a live
 * stream or an export, which could otherwise only be aborted.
 */
export type Reader = Pick<MemberAccess, 'accountId' | 'teamId'> & {
  signal?: AbortSignal | undefined;
  isPatient?: boolean;
};

export type ContentRead = {
  /** Aborted when the client disconnects. */
  signal: AbortSignal | undefined;
  /**
   * Reserves this many bytes instead of the bytes reserved before. Call it before reading large events, once earlier ones are no
   * longer used.
   * @throws the reason of the signal; rate_limited, overloaded when memory stays short
   */
  hold: (bytes: number) => Promise<void>;
  /** Hands the reserved memory to a response that still has the events after the read. The response releases it. */
  keep: () => MemoryReservation | undefined;
};

export type ContentReadsOptions = {
  maxPerAccount: number;
  maxPerTeam: number;
  /** The most reads of an account that wait for its other reads. */
  maxWaiting: number;
  /** How long a read may wait to begin. */
  maxWaitMs: number;
  memory: MemoryReservations;
};

/** The memory to read an event of this size: the event, and the block that it is unpacked from. */
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

  /** @returns a function that ends the read @throws the reason of the signal, rate_limited */
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
    running: (): number => running,
    waiting: accounts.waiting,
    /** The memory of large events that are being read or sent. */
    heldBytes: memory.heldBytes,

    /**
     * Runs `work` when it is the reader's turn. Its reserved memory is released at the end, unless `keep` was called.
     * @param reader undefined for background work
     * @throws the reason of the signal if the client disconnects; rate_limited, overloaded after a wait
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
