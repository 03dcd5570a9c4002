/*
 * Readiness: whether a delivery sent now would be stored. The database accepts a write, the disk has space, and the server is not
 * stopping. Probes are anonymous, so the result is cached: frequent probes must not become frequent writes. The disk is also checked
 * periodically, so that the log warns before it is full.
 */
import type { Logger } from '../log.ts';

export type DiskSpace = { freeBytes: number; totalBytes: number };

/** Undefined when ready, else the reason, for the operator. */
export type NotReady = string | undefined;

export type Readiness = ReturnType<typeof createReadiness>;

export type ReadinessOptions = {
  /** @throws if a write fails */
  checkWritable: () => Promise<void>;
  /** Why no deliveries are accepted at the moment, if that is known. */
  storageProblem?: () => NotReady;
  /** Why writes get no response, if that is known. */
  writeProblem?: () => Promise<NotReady>;
  /** Undefined when the database is on another machine. */
  diskSpace: (() => Promise<DiskSpace>) | undefined;
  monotonic: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  cacheMs?: number;
  /** After this time, a write counts as failed. */
  writeTimeoutMs?: number;
};

const gibibyte = 1 << 30;
const isLow = ({ freeBytes, totalBytes }: DiskSpace): boolean => freeBytes < gibibyte || freeBytes < totalBytes / 10;
/** The write-ahead log needs space before a checkpoint can return it. On a small file system a fiftieth is enough. */
const isFull = ({ freeBytes, totalBytes }: DiskSpace): boolean => freeBytes < Math.min(32 << 20, totalBytes / 50);

export function createReadiness(options: ReadinessOptions) {
  const { checkWritable, storageProblem = () => undefined, writeProblem = async () => undefined, diskSpace } = options;
  const { monotonic, log, cacheMs = 1000, writeTimeoutMs = 4000 } = options;
  let draining = false;
  let disk: 'ok' | 'low' | 'full' = 'ok';
  let cached: Promise<NotReady> | undefined;
  let cachedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  /** Checks the free space; logs when it becomes low or full, and when it has recovered. */
  const checkDisk = async (): Promise<DiskSpace | undefined> => {
    // If the free space is unknown, the disk does not count as full.
    const space = await diskSpace?.().catch(() => undefined);
    if (!space) return undefined;
    const now = isFull(space) ? 'full' : isLow(space) ? 'low' : 'ok';
    if (now !== disk) {
      disk = now;
      if (now === 'ok') log.info('the disk has room again', space);
      else if (now === 'low') log.warn('the disk is filling up: when it is full, deliveries are refused', space);
      else log.error('the disk is full: not ready for deliveries', space);
    }
    return space;
  };

  const check = async (): Promise<NotReady> => {
    await checkDisk();
    if (disk === 'full') return 'the disk is full';
    const known = storageProblem();
    if (known !== undefined) return known;
    const { promise: timedOut, resolve } = Promise.withResolvers<NotReady>();
    const timer = setTimeout(resolve, writeTimeoutMs, 'the database does not answer');
    let reason: NotReady;
    void writeProblem().then(found => {
      reason = found;
    });
    // While a write hangs, no other one is started.
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
    const problem = await Promise.race([written, timedOut]);
    clearTimeout(timer);
    return problem && (reason ?? problem);
  };

  return {
    async problem(): Promise<NotReady> {
      if (draining) return 'stopping';
      if (!cached || monotonic() - cachedAt >= cacheMs) {
        cachedAt = Number.POSITIVE_INFINITY;
        cached = check().finally(() => {
          cachedAt = monotonic();
        });
      }
      return (await cached) ?? (draining ? 'stopping' : undefined);
    },
    /** Makes the server not ready from now on, because it stops. */
    drain: (): void => {
      draining = true;
    },
    checkDisk,
    /** Whether there is little space left, as the last check found it. */
    isDiskLow: (): boolean => disk === 'low',
  };
}
