/*
 * Background work that yields. Jobs (sweeping, indexing, vacuuming) are cut into slices of a few milliseconds; one slice
 * runs at a time, and only between ingest commits. A backlog of ingest goes first, but never starves a job for good: under
 * constant load a slice still runs now and then, so that what waits does not grow without end.
 */

/** `done` until the job is woken again; or there is more, but not before some time has passed. */
export type SliceResult = 'more' | 'done' | { restMs: number };

export type BackgroundJob = {
  name: string;
  /** One slice of work, a few milliseconds of the writer's time. */
  slice: () => Promise<SliceResult>;
};

export type Background = {
  /** Registers a job; it runs when woken. */
  add: (job: BackgroundJob) => { wake: () => void };
  /** Resolves when no job has work left; for tests and commands. */
  idle: () => Promise<void>;
  /** Lets the running slice finish and starts no other. */
  stop: () => Promise<void>;
};

export type BackgroundOptions = {
  /** Whether deliveries are waiting for their commit. */
  isBusy: () => boolean;
  monotonic: () => number;
  onError: (job: string, error: unknown) => void;
  /** The longest that a slice waits for ingest to be idle. */
  maxWaitMs?: number;
  /** How long a job rests after an error. */
  retryMs?: number;
};

export function createBackground(options: BackgroundOptions): Background {
  const { isBusy, monotonic, onError, maxWaitMs = 50, retryMs = 5000 } = options;
  const jobs: BackgroundJob[] = [];
  const awake = new Set<BackgroundJob>();
  /** Asked for a rest, and will go on after it. */
  const paused = new Set<BackgroundJob>();
  const resting = new Set<ReturnType<typeof setTimeout>>();
  let stopped = false;
  let running: Promise<void> | undefined;

  const untilQuiet = async (): Promise<void> => {
    const until = monotonic() + maxWaitMs;
    do await new Promise(resolve => setTimeout(resolve, 0));
    while (isBusy() && monotonic() < until && !stopped);
  };

  const runSlice = async (job: BackgroundJob): Promise<void> => {
    // Taken out first: a wake that comes during the slice must not be lost.
    awake.delete(job);
    try {
      const result = await job.slice();
      if (result === 'more') awake.add(job);
      else if (result !== 'done') {
        paused.add(job);
        wakeAfter(job, result.restMs);
      }
    } catch (error) {
      if (stopped) return;
      onError(job.name, error);
      wakeAfter(job, retryMs);
    }
  };

  const wakeAfter = (job: BackgroundJob, ms: number): void => {
    const timer = setTimeout(() => {
      resting.delete(timer);
      paused.delete(job);
      wake(job);
    }, ms);
    timer.unref();
    resting.add(timer);
  };

  const run = async (): Promise<void> => {
    while (awake.size > 0 && !stopped)
      for (const job of jobs) {
        if (!awake.has(job) || stopped) continue;
        await untilQuiet();
        if (!stopped) await runSlice(job);
      }
    running = undefined;
  };

  const wake = (job: BackgroundJob): void => {
    // Whoever asked for a rest is woken when it is over, however much comes meanwhile.
    if (stopped || paused.has(job)) return;
    awake.add(job);
    running ??= run();
  };

  return {
    add: job => {
      jobs.push(job);
      return { wake: () => wake(job) };
    },
    idle: async () => {
      while (!stopped && (running || paused.size > 0)) await (running ?? Bun.sleep(1));
    },
    stop: async () => {
      stopped = true;
      for (const timer of resting) clearTimeout(timer);
      await running;
    },
  };
}
