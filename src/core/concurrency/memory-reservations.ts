/*
 * Reserves memory for large events while they are read and sent: a few reservations for each account, and a number of bytes for
 * all together, of which one account can have half. A request waits a while for its reservation. A client that stops reading
 * loses its reservation when another request needs the memory. Limits count per process.
 */
import { AppError } from '../errors.ts';

export type MemoryReservationOptions = {
  maxPerAccount: number;
  /** The memory for all reservations. A larger reservation is granted if it is the only one. */
  totalBytes: number;
  maxWaitMs: number;
  /** How long a client may read nothing while others wait. */
  stalledReaderMs: number;
  monotonic: () => number;
};

export type MemoryReservation = {
  /** It may be called more than once. */
  release: () => void;
  /** Call it when a chunk is ready for the client. `stop` is called if the client does not read it and the memory is needed. */
  offered: (stop: () => void) => void;
  /** Call it when the client has read the chunk. */
  taken: () => void;
};

/** `signal`: aborted when the client disconnects. `isPatient`: it waits without a time limit. */
type Requester = { accountId: string; signal?: AbortSignal | undefined; isPatient?: boolean };
type Held = { accountId: string; bytes: number; offer: { since: number; stop: () => void } | undefined };
type Waiting = { accountId: string; bytes: number; grant: () => void };

/** How often waiting requests check for stalled clients. */
const checkEveryMs = 250;

export type MemoryReservations = ReturnType<typeof createMemoryReservations>;

export function createMemoryReservations({
  maxPerAccount,
  totalBytes,
  maxWaitMs,
  stalledReaderMs,
  monotonic,
}: MemoryReservationOptions) {
  const held = new Set<Held>();
  const waiting = new Set<Waiting>();
  let heldBytes = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  /** Whether the account must wait for its own memory: it gets more only while it holds no more than is free for others. */
  const isOverShare = ({ accountId, bytes }: Waiting): boolean => {
    let count = 0;
    let own = bytes;
    for (const one of held) {
      if (one.accountId !== accountId) continue;
      count++;
      own += one.bytes;
    }
    return count >= maxPerAccount || (count > 0 && own > totalBytes - heldBytes - bytes);
  };
  const isMemoryFree = ({ bytes }: Waiting): boolean => held.size === 0 || heldBytes + bytes <= totalBytes;

  /** First come, first served. A request that waits for others of its own account does not block other accounts. */
  const grantWaiting = (): void => {
    for (const request of waiting) {
      if (isOverShare(request)) continue;
      if (!isMemoryFree(request)) break;
      waiting.delete(request);
      request.grant();
    }
    if (waiting.size > 0) timer ??= setInterval(stopStalledReader, checkEveryMs).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };

  /** Stops the client that has not read for the longest time, so that the first waiting request can be granted. */
  const stopStalledReader = (): void => {
    for (const request of waiting) {
      const isOver = isOverShare(request);
      let longest: Held['offer'];
      for (const { accountId, offer } of held)
        if (offer && (!isOver || accountId === request.accountId) && offer.since < (longest?.since ?? Infinity))
          longest = offer;
      const isStalled = longest !== undefined && monotonic() - longest.since >= stalledReaderMs;
      if (isStalled) longest?.stop();
      if (isStalled || !isOver) return;
    }
  };

  const hold = ({ accountId, bytes }: Waiting): MemoryReservation => {
    const own: Held = { accountId, bytes, offer: undefined };
    held.add(own);
    heldBytes += bytes;
    return {
      release: () => {
        if (!held.delete(own)) return;
        heldBytes -= bytes;
        grantWaiting();
      },
      offered: stop => {
        own.offer = { since: monotonic(), stop };
      },
      taken: () => {
        own.offer = undefined;
      },
    };
  };

  return {
    heldBytes: (): number => heldBytes,

    /** @throws the reason of the signal; after a wait: rate_limited for too many reservations, overloaded for too little memory */
    reserve({ accountId, signal, isPatient }: Requester, bytes: number): Promise<MemoryReservation> {
      return new Promise((resolve, reject) => {
        const fail = (error: unknown): void => {
          waiting.delete(own);
          stopWaiting();
          reject(error);
          grantWaiting();
        };
        const onAbort = (): void => fail(signal?.reason);
        const refuse = (): void => {
          const retry = { retryAfterSeconds: 5 };
          fail(
            isOverShare(own)
              ? new AppError(
                  'rate_limited',
                  'too many large events of this account are being read at once, try again',
                  retry,
                )
              : new AppError('overloaded', 'too many large events are being read, try again', retry),
          );
        };
        const timeout = isPatient ? undefined : setTimeout(refuse, maxWaitMs);
        const stopWaiting = (): void => {
          clearTimeout(timeout);
          signal?.removeEventListener('abort', onAbort);
        };
        const own: Waiting = {
          accountId,
          bytes,
          grant: () => {
            stopWaiting();
            resolve(hold(own));
          },
        };
        if (signal?.aborted) return onAbort();
        signal?.addEventListener('abort', onAbort);
        waiting.add(own);
        grantWaiting();
      });
    },
  };
}
