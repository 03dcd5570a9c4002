/* Waiting that ends early if the session ends or something changes. A finished wait leaves no timers or listeners behind. */
import type { Api } from '../client/api.ts';
import type { Io } from '../io.ts';

export type Pause = (ms: number) => Promise<void>;

/** The dependencies of the parts of a session that talk to the server about one endpoint, until the signal ends them. */
export type EndpointTask = {
  api: Api;
  endpointId: string;
  pause: Pause;
  signal: AbortSignal;
  /** Shows a message to the user at the terminal. */
  notify: (text: string) => void;
};

/** @returns a wait that ends immediately if the signal aborts */
export const createPause =
  (io: Pick<Io, 'sleep'>, signal: AbortSignal): Pause =>
  async ms => {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort);
    await Promise.race([io.sleep(ms), promise]);
    signal.removeEventListener('abort', onAbort);
  };

export type Changes = ReturnType<typeof createChanges>;

/** Wakes waiting callers after a change. Check, then call `next` at once: changes in between are not reported. */
export function createChanges() {
  let next = Promise.withResolvers<void>();
  return {
    next: (): Promise<void> => next.promise,
    tell(): void {
      const told = next;
      next = Promise.withResolvers();
      told.resolve();
    },
  };
}

/** Spreads requests: after a burst, it allows `perS` a second. */
export function createPacer(clock: { monotonic: () => number }, { burst, perS }: { burst: number; perS: number }) {
  let tokens = burst;
  let at = clock.monotonic();
  return {
    /** Reserves a request. @returns how long to wait before it, in ms */
    take(): number {
      const now = clock.monotonic();
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perS) - 1;
      at = now;
      return tokens >= 0 ? 0 : (-tokens / perS) * 1000;
    },
  };
}
