/* Waiting for the next delivery of an endpoint. Nothing is missed between two waits of one waiter. */

/** Why a wait ended; `timeout` also when it was aborted or the server stops. */
export type Wakeup = 'delivery' | 'recheck' | 'timeout';

export type Waiter = {
  /**
   * Resolves at the next delivery since the last call, when the caller's access has to be checked again, after `ms`, or when
   * the signal aborts. Never rejects.
   */
  next: (ms: number, signal?: AbortSignal) => Promise<Wakeup>;
  close: () => void;
};

export type Arrivals = {
  /** Told of every stored delivery. */
  recorded: (recorded: { endpoint: number }) => void;
  /** Listens from now on. To be closed. */
  open: (endpoint: number) => Waiter;
  /** Wakes every waiter, so that each checks its caller's access again. */
  recheckAll: () => void;
  /** How many listen now. */
  waiting: () => number;
  /** Ends every wait, for good: before the server stops. */
  endAll: () => void;
};

type Entry = { endpoint: number; hasNews: boolean; mustRecheck: boolean; wake: () => void };

export function createArrivals(): Arrivals {
  const entries = new Set<Entry>();
  let isOver = false;

  return {
    recorded({ endpoint }) {
      for (const entry of entries) {
        if (entry.endpoint !== endpoint) continue;
        entry.hasNews = true;
        entry.wake();
      }
    },
    open(endpoint) {
      const entry: Entry = { endpoint, hasNews: false, mustRecheck: false, wake: () => {} };
      entries.add(entry);
      const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
        new Promise(resolve => {
          if (entry.hasNews || entry.mustRecheck || isOver || signal?.aborted || ms <= 0) return resolve();
          const timer = setTimeout(() => entry.wake(), ms);
          const onAbort = (): void => entry.wake();
          entry.wake = () => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', onAbort);
            entry.wake = () => {};
            resolve();
          };
          signal?.addEventListener('abort', onAbort, { once: true });
        });
      return {
        async next(ms, signal) {
          await wait(ms, signal);
          const { hasNews, mustRecheck } = entry;
          entry.hasNews = false;
          entry.mustRecheck = false;
          if (hasNews) return 'delivery';
          return mustRecheck && !isOver && !signal?.aborted ? 'recheck' : 'timeout';
        },
        close: () => {
          entries.delete(entry);
          entry.wake();
        },
      };
    },
    recheckAll() {
      for (const entry of entries) {
        entry.mustRecheck = true;
        entry.wake();
      }
    },
    waiting: () => entries.size,
    endAll() {
      isOver = true;
      for (const entry of entries) entry.wake();
    },
  };
}
