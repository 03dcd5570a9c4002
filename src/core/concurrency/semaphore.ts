/* Limits how many operations of each key, such as an account, run at the same time in this process. */

export type Semaphore = ReturnType<typeof createSemaphore>;

type Line = 'first' | 'others';
type Permits = { taken: number; waiting: Record<Line, (() => void)[]> };

/** @param permits for each key */
export function createSemaphore(permits: number) {
  const byKey = new Map<string, Permits>();

  const permitsOf = (key: string): Permits => {
    const known = byKey.get(key) ?? { taken: 0, waiting: { first: [], others: [] } };
    byKey.set(key, known);
    return known;
  };
  const release = (key: string): void => {
    const own = permitsOf(key);
    const next = own.waiting.first.shift() ?? own.waiting.others.shift();
    // The permit goes straight to the next in line, so that no later call can take it.
    if (next) next();
    else if (--own.taken === 0) byKey.delete(key);
  };
  const releaseOnce = (key: string): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) release(key);
      isHeld = false;
    };
  };
  /** Takes a permit. @returns undefined if one was free */
  const take = (line: Line, key: string, signal?: AbortSignal): Promise<void> | undefined => {
    const own = permitsOf(key);
    if (own.taken >= permits) return waitIn(own.waiting[line], signal);
    own.taken++;
    return undefined;
  };
  const runIn =
    (line: Line) =>
    async <T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
      const wait = take(line, key, signal);
      if (wait) await wait;
      try {
        return await work();
      } finally {
        release(key);
      }
    };

  return {
    /** Takes a permit at once. @returns a function that releases it; undefined if all permits of the key are taken */
    tryAcquire(key: string): (() => void) | undefined {
      const own = permitsOf(key);
      if (own.taken >= permits) return undefined;
      own.taken++;
      return releaseOnce(key);
    },
    /** Takes a permit once one is free, first come first served. @returns a function that releases it @throws the signal's reason */
    async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted();
      await take('others', key, signal);
      return releaseOnce(key);
    },
    /** Runs `work` once a permit is free, first come first served. @param signal stops waiting when it is aborted */
    run: runIn('others'),
    /** Like `run`, ahead of all waiting calls of `run`. */
    runFirst: runIn('first'),
    waiting(key: string): number {
      const { first, others } = byKey.get(key)?.waiting ?? { first: [], others: [] };
      return first.length + others.length;
    },
  };
}

/** Resolves when a release removes it from the line. */
function waitIn(line: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.splice(line.indexOf(enter), 1);
      reject(signal?.reason);
    };
    const enter = (): void => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    line.push(enter);
    signal?.addEventListener('abort', leave);
  });
}
