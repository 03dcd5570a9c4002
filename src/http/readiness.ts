/*
 * Whether a delivery sent now would be stored: the database takes a write, the server is not about to stop, and the disk
 * has room. Anybody may ask, so the answer is kept for a moment: asking must not become writing. The disk is looked at all
 * the time, so that the log warns before it is full.
 */
import type { Logger } from '../log.ts';

export type DiskSpace = { freeBytes: number; totalBytes: number };

/** Undefined when ready, else why not, for whoever runs this. */
export type NotReady = string | undefined;

export type Readiness = {
  problem: () => Promise<NotReady>;
  /** From now on it says that it is stopping. */
  drain: () => void;
  /** Looks at the disk; says in the log when it comes near its end, and when it is well again. */
  checkDisk: () => Promise<DiskSpace | undefined>;
};

export type ReadinessOptions = {
  /** @throws when a write fails */
  checkWritable: () => Promise<void>;
  /** Undefined: somebody else keeps the data. */
  diskSpace: (() => Promise<DiskSpace>) | undefined;
  monotonic: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  cacheMs?: number;
  /** How long a write may take before it counts as failed. */
  writeTimeoutMs?: number;
};

const gibibyte = 1 << 30;
const isLow = ({ freeBytes, totalBytes }: DiskSpace): boolean => freeBytes < gibibyte || freeBytes < totalBytes / 10;
/** The log needs room to grow into before it can be written back; small file systems are the operator's own choice. */
const isFull = ({ freeBytes, totalBytes }: DiskSpace): boolean => freeBytes < Math.min(32 << 20, totalBytes / 50);

export function createReadiness(options: ReadinessOptions): Readiness {
  const { checkWritable, diskSpace, monotonic, log, cacheMs = 1000, writeTimeoutMs = 4000 } = options;
  let draining = false;
  let disk: 'well' | 'low' | 'full' = 'well';
  let answer: Promise<NotReady> | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  const lookAtDisk = async (): Promise<DiskSpace | undefined> => {
    // A file system that cannot be asked is not full.
    const space = await diskSpace?.().catch(() => undefined);
    if (!space) return undefined;
    const now = isFull(space) ? 'full' : isLow(space) ? 'low' : 'well';
    if (now !== disk) {
      disk = now;
      if (now === 'well') log.info('the disk has room again', space);
      else if (now === 'low') log.warn('the disk is filling up: when it is full, deliveries are refused', space);
      else log.error('the disk is full: not ready for deliveries', space);
    }
    return space;
  };

  const look = async (): Promise<NotReady> => {
    await lookAtDisk();
    if (disk === 'full') return 'the disk is full';
    const { promise: tooLong, resolve } = Promise.withResolvers<NotReady>();
    const timer = setTimeout(resolve, writeTimeoutMs, 'the database does not answer');
    // A write that hangs is not joined by another one.
    pending ??= checkWritable().finally(() => {
      pending = undefined;
    });
    const written = pending.then(
      () => undefined,
      cause => {
        log.error('not ready: the database cannot be written', { cause });
        return 'the database cannot be written';
      },
    );
    const problem = await Promise.race([written, tooLong]);
    clearTimeout(timer);
    return problem;
  };

  return {
    async problem() {
      if (draining) return 'stopping';
      if (!answer || monotonic() - answeredAt >= cacheMs) {
        answeredAt = Number.POSITIVE_INFINITY;
        answer = look().finally(() => {
          answeredAt = monotonic();
        });
      }
      return (await answer) ?? (draining ? 'stopping' : undefined);
    },
    drain: () => {
      draining = true;
    },
    checkDisk: lookAtDisk,
  };
}
