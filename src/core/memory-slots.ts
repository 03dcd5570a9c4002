/*
 * Slots for answers that hold a large body in memory until their reader has taken them: a few for each account, and a number of bytes
 * for all together, of which one account alone may have half. Whoever finds none free waits a little; a reader that takes nothing
 * meanwhile loses its slot. Per process.
 */
import { AppError } from './errors.ts';

export type MemorySlotOptions = {
  perHolder: number;
  /** One that needs more than this still gets a slot when it is the only one. */
  totalBytes: number;
  /** How long a request may wait for a slot. */
  patienceMs: number;
  /** How long a reader may take nothing while others wait. */
  stalledMs: number;
  monotonic: () => number;
};

export type MemorySlot = {
  /** Once is enough. */
  release: () => void;
  /** There is something for the reader; `stop` is called when it takes nothing and the slot is needed. */
  offered: (stop: () => void) => void;
  /** The reader has taken it, and more is being made. */
  taken: () => void;
};

type Held = { holder: string; bytes: number; offer: { since: number; stop: () => void } | undefined };
type Waiting = { holder: string; bytes: number; start: () => void };

/** How often waiting requests look for readers that have stopped. */
const lookEveryMs = 250;

export type MemorySlots = ReturnType<typeof createMemorySlots>;

export function createMemorySlots({ perHolder, totalBytes, patienceMs, stalledMs, monotonic }: MemorySlotOptions) {
  const held = new Set<Held>();
  const waiting = new Set<Waiting>();
  let heldBytes = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  /** A holder that has some takes more only while it has no more than is left free for the others. */
  const isOverShare = ({ holder, bytes }: Waiting): boolean => {
    let count = 0;
    let own = bytes;
    for (const one of held) {
      if (one.holder !== holder) continue;
      count++;
      own += one.bytes;
    }
    return count >= perHolder || (count > 0 && own > totalBytes - heldBytes - bytes);
  };
  const fits = ({ bytes }: Waiting): boolean => held.size === 0 || heldBytes + bytes <= totalBytes;

  /** Those that came first are first; one that only waits for its own account holds up no other. */
  const startWaiting = (): void => {
    for (const one of waiting) {
      if (isOverShare(one)) continue;
      if (!fits(one)) break;
      waiting.delete(one);
      one.start();
    }
    if (waiting.size > 0) timer ??= setInterval(stopStalled, lookEveryMs).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };

  /** For the first that waits: the slot whose reader has taken nothing for longest. */
  const stopStalled = (): void => {
    for (const one of waiting) {
      const isOver = isOverShare(one);
      let longest: Held['offer'];
      for (const { holder, offer } of held)
        if (offer && (!isOver || holder === one.holder) && offer.since < (longest?.since ?? Infinity)) longest = offer;
      const isStalled = longest !== undefined && monotonic() - longest.since >= stalledMs;
      if (isStalled) longest?.stop();
      if (isStalled || !isOver) return;
    }
  };

  const hold = ({ holder, bytes }: Waiting): MemorySlot => {
    const own: Held = { holder, bytes, offer: undefined };
    held.add(own);
    heldBytes += bytes;
    return {
      release: () => {
        if (!held.delete(own)) return;
        heldBytes -= bytes;
        startWaiting();
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

    /**
     * @param signal aborted: nobody waits for the answer any more
     * @throws rate_limited when the holder has all of its slots, overloaded when there is no memory, both after a wait
     */
    take(holder: string, bytes: number, signal?: AbortSignal): Promise<MemorySlot> {
      return new Promise((resolve, reject) => {
        const giveUp = (error: unknown): void => {
          waiting.delete(own);
          finish();
          reject(error);
          startWaiting();
        };
        const aborted = (): void => giveUp(signal?.reason);
        const late = setTimeout(() => {
          const retry = { retryAfterSeconds: 5 };
          giveUp(
            isOverShare(own)
              ? new AppError(
                  'rate_limited',
                  `at most ${perHolder} large events at once, and fewer very large ones`,
                  retry,
                )
              : new AppError('overloaded', 'too many large events are being read, try again', retry),
          );
        }, patienceMs);
        const finish = (): void => {
          clearTimeout(late);
          signal?.removeEventListener('abort', aborted);
        };
        const own: Waiting = {
          holder,
          bytes,
          start: () => {
            finish();
            resolve(hold(own));
          },
        };
        if (signal?.aborted) return aborted();
        signal?.addEventListener('abort', aborted);
        waiting.add(own);
        startWaiting();
      });
    },
  };
}
