/*
 * A scheduler for background jobs (sweeping, indexing, vacuuming). A job is cut into slices of a few milliseconds; one slice
 * runs at a time, while no deliveries wait for their commit. Under constant load a slice still runs after `maxWaitMs`, so that
 * the backlog of the jobs stays bounded.
 */

/** `done`: no work is left until the job is woken. `restMs`: there is more work, but only after that time. */
export type SliceResult = 'more' | 'done' | { restMs: number };

export type BackgroundJob = {
  name: string;
  /** One slice of work, a few milliseconds of the writer's time. */
  slice: () => Promise<SliceResult>;
};

export type Background = ReturnType<typeof createBackground>;

type BackgroundOptions = {
  isBusy: () => boolean;
  monotonic: () => number;
  onError: (job: string, error: unknown) => void;
  /** The longest time that a slice waits for deliveries to be committed. */
  maxWaitMs?: number;
  retryMs?: number;
};

export function createBackground(options: BackgroundOptions) {
  const { isBusy, monotonic, onError, maxWaitMs = 50, retryMs = 5000 } = options;
  const jobs: BackgroundJob[] = [];
  const awake = new Set<BackgroundJob>();
  const paused = new Set<BackgroundJob>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let isStopped = false;
  let running: Promise<void> | undefined;

  const waitForIngest = async (): Promise<void> => {
    const deadline = monotonic() + maxWaitMs;
    do await new Promise(resolve => setTimeout(resolve, 0));
    while (isBusy() && monotonic() < deadline && !isStopped);
  };

  const runSlice = async (job: BackgroundJob): Promise<void> => {
    // Removed first, so that a wake during the slice is not lost.
    awake.delete(job);
    try {
      const result = await job.slice();
      if (result === 'more') awake.add(job);
      else if (result !== 'done') {
        paused.add(job);
        wakeAfter(job, result.restMs);
      }
    } catch (error) {
      if (isStopped) return;
      onError(job.name, error);
      wakeAfter(job, retryMs);
    }
  };

  const wakeAfter = (job: BackgroundJob, ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      paused.delete(job);
      wake(job);
    }, ms);
    timer.unref();
    timers.add(timer);
  };

  const run = async (): Promise<void> => {
    while (awake.size > 0 && !isStopped)
      for (const job of jobs) {
        if (!awake.has(job) || isStopped) continue;
        await waitForIngest();
        if (!isStopped) await runSlice(job);
      }
    running = undefined;
  };

  const wake = (job: BackgroundJob): void => {
    // A paused job is woken only by its timer.
    if (isStopped || paused.has(job)) return;
    awake.add(job);
    running ??= run();
  };

  return {
    /** Registers a job, which runs once it is woken. */
    add: (job: BackgroundJob): { wake: () => void } => {
      jobs.push(job);
      return { wake: () => wake(job) };
    },
    /** Resolves once no job has work left; for tests and commands. */
    idle: async (): Promise<void> => {
      while (!isStopped && (running || paused.size > 0)) await (running ?? Bun.sleep(1));
    },
    /** Lets the running slice finish and starts no other. */
    stop: async (): Promise<void> => {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      await running;
    },
  };
}
