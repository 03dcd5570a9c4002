/*
 * Continuous backup of the embedded database to an object store. One loop does everything; neither the start of the server nor capture
 * waits for it, and it retries after every failure of the store. Until changes are in the store, they are only page numbers.
 */
import type { BackupNames, ObjectPlace } from '../../core/backup/names.ts';
import { type Backup, readBackup } from '../../core/backup/read-backup.ts';
import { BackupError, type BackupSource } from '../../core/backup/read-objects.ts';
import type { BackupSeal } from '../../core/backup/seal.ts';
import type { BackupStatus } from '../../core/backup/status.ts';
import type { Clock } from '../../core/clock.ts';
import { unavailable } from '../../core/errors.ts';
import { type ObjectStore, ObjectStoreError } from '../../core/network/object-store.ts';
import type { Logger } from '../../log.ts';
import { createClaimTaker, RefusedError } from './claim.ts';
import { type Conditions, tryConditions } from './conditions.ts';
import { ConflictError } from './log-writer.ts';

import { createShipping, type ReadChangedPages, type Shipping } from './shipping.ts';
import type { BackupStore } from './store.ts';

export type BackupServiceOptions = {
  objectStore: ObjectStore;
  names: BackupNames;
  seal: BackupSeal;
  store: BackupStore;
  changedPages: ReadChangedPages;
  /** Waits until every acknowledged delivery is in the database, or that is not possible. */
  filed: () => Promise<unknown>;
  /** Age of the oldest delivery that is not in the database. */
  unfiledMs: () => number;
  /** Identifies the data directory, and not a copy of it; and this process. */
  instance: string;
  run: string;
  newChain: () => string;
  everyMs: number;
  keepMs: number;
  clock: Clock;
  /** Wall clock that does not jump ahead, epoch ms. */
  trusted: () => number;
  log: Logger;
  limits?: Partial<typeof defaultLimits> | undefined;
};

const defaultLimits = {
  /** How long a stop may take. */
  stopMs: 5000,
  firstRetryMs: 500,
  maxRetryMs: 15_000,
  /** How often the store is searched for lost objects. */
  repairEveryMs: 600_000,
};

const pageBytes = 16_384;
const retryAfterS = 10;

/** The number of attempts after which callers that wait get the error. */
const attemptsToWait = 3;

export type BackupService = ReturnType<typeof createBackupService>;

class StoppedError extends Error {
  override name = 'StoppedError';
}

/** A caller that waits. `forget`: until nothing older than the present can be restored. */
type Waiter = PromiseWithResolvers<void> & { lost: readonly string[]; forget: boolean };

export function createBackupService(options: BackupServiceOptions) {
  const { objectStore, names, seal, store, changedPages, filed, unfiledMs, clock, trusted, log, everyMs, keepMs } =
    options;
  const limits = { ...defaultLimits, ...options.limits };
  const abort = new AbortController();
  const source: BackupSource = { store: objectStore, names, seal, signal: abort.signal };
  const taker = createClaimTaker({ source, clock, everyMs, instance: options.instance, run: options.run });
  const startedAt = clock.monotonic();
  let isStopping = false;
  let wakeUp = (): void => {};
  let running: Promise<void> | undefined;
  let shipping: Shipping | undefined;
  /** Whether everything was in the store at some time since the start. */
  let wasComplete = false;
  /** Changes that were taken and are not in the store. */
  let taken: { since: number; bytes: number } | undefined;
  let refused: RefusedError | undefined;
  let failure: string | undefined;
  let warnings: string[] = [];
  let repairedAt = Number.NEGATIVE_INFINITY;
  let lostAtStart: ObjectPlace[] = [];
  let newChain: string | undefined;
  let waiters: Waiter[] = [];

  const pause = (ms: number): Promise<void> =>
    new Promise(resolve => {
      if (isStopping) return resolve();
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const refuseWaiters = (problem: string): void => {
    for (const waiter of waiters.filter(({ forget }) => !forget)) waiter.reject(notNow(problem));
    waiters = waiters.filter(({ forget }) => forget);
  };
  const succeeded = (): void => {
    if (failure !== undefined) log.info('the backup store works again', { store: objectStore.location });
    failure = undefined;
  };
  const failed = (error: Error, attempt: number): void => {
    if (failure === undefined)
      log.warn('the backup store fails; trying again', { store: objectStore.location, reason: error.message });
    failure = error.message;
    if (attempt + 1 >= attemptsToWait) refuseWaiters(error.message);
  };
  const retryMs = (error: Error, attempt: number): number => {
    const asked = error instanceof ObjectStoreError ? (error.retryAfterMs ?? 0) : 0;
    return Math.min(Math.max(asked, limits.firstRetryMs * 2 ** Math.min(attempt, 10)), limits.maxRetryMs);
  };

  /** Repeats an attempt until the store has done it. */
  const repeat = async <T>(attempt: (number: number) => Promise<T>): Promise<T> => {
    for (let number = 0; ; number++)
      try {
        const result = await attempt(number);
        succeeded();
        return result;
      } catch (error) {
        if (!(error instanceof ObjectStoreError)) throw error;
        failed(error, number);
        if (isStopping) throw new StoppedError(error.message);
        await pause(retryMs(error, number));
      }
  };

  /** The chain to go on with: the one in the store if this database was part of it, a new one in an empty prefix. */
  const chainFor = async (claimed: string | undefined): Promise<string> => {
    const chain = claimed ?? (await readExisting())?.chain;
    const own = await store.chains();
    if (chain === undefined) {
      newChain ??= options.newChain();
      if (!own.includes(newChain)) await store.addChain(newChain);
      return newChain;
    }
    if (!own.includes(chain))
      throw new RefusedError(`${objectStore.location} has the backup of another installation; choose another prefix`);
    return chain;
  };

  /** What is in the store, damaged or not; undefined if there is nothing. */
  const readExisting = async (): Promise<Backup | undefined> => {
    try {
      return await readBackup(source, { repair: true });
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      if (error.failure === 'empty') return undefined;
      throw new RefusedError(error.message);
    }
  };

  const warningsOf = async ({ absent, match }: Conditions): Promise<string[]> => [
    ...(absent && match
      ? []
      : ['the store does not support conditional writes, so make sure that only one server uses this prefix']),
    ...((await objectStore.keepsVersions({ signal: abort.signal }))
      ? ['the bucket keeps versions of deleted objects, so what is erased stays in it']
      : []),
  ];

  /** Takes the claim and reads what is in the store. */
  const connect = async (): Promise<Shipping> => {
    const conditions = await repeat(() => tryConditions(source));
    warnings = await repeat(() => warningsOf(conditions));
    const { chain, held } = await repeat(() => taker.take(conditions, chainFor));
    const found = await repeat(readExisting);
    if (found && found.chain !== '' && found.chain !== chain)
      throw new RefusedError(`${objectStore.location} has the backup of another installation; choose another prefix`);
    const persistently = <T>(attempt: (number: number) => Promise<T>): Promise<T> =>
      repeat(async number => {
        await held.renew(connected.seq(), conditions);
        return attempt(number);
      });
    const connected = createShipping({
      ...{ source, conditions, held, chain, run: options.run, found, changedPages, persistently, trusted, keepMs },
      now: clock.now,
      monotonic: clock.monotonic,
      onTaken: (ageMs, bytes) => {
        taken = { since: Math.min(taken?.since ?? Number.POSITIVE_INFINITY, clock.monotonic() - ageMs), bytes };
      },
      onShipped: () => {
        taken = undefined;
        wasComplete = true;
      },
    });
    if (refused) log.info('this server backs up now', { store: objectStore.location });
    refused = undefined;
    lostAtStart = [
      ...(found?.lost ?? []).map(seq => ({ kind: 'log', seq }) as const),
      ...(found?.lostIndexes ?? []).map(seq => ({ kind: 'index', seq }) as const),
    ];
    repairedAt = lostAtStart.length > 0 ? Number.NEGATIVE_INFINITY : clock.monotonic();
    await connected.begin();
    return connected;
  };

  /** One interval's work. */
  const cycle = async (current: Shipping): Promise<void> => {
    const served = [...waiters];
    await current.keepClaim();
    await filed();
    await current.shipChanges();
    const isRepairDue = clock.monotonic() - repairedAt >= limits.repairEveryMs;
    if (isRepairDue || served.length > 0) {
      const lost = served.flatMap(waiter => waiter.lost.flatMap(name => names.read(name) ?? []));
      await current.repair([...lost, ...lostAtStart]);
      lostAtStart = [];
      repairedAt = clock.monotonic();
    }
    if (served.some(({ forget }) => forget)) await current.forget();
    waiters = waiters.filter(waiter => !served.includes(waiter));
    for (const { resolve } of served) resolve();
    await current.keepSmall();
  };

  const work = async (): Promise<void> => {
    shipping ??= await connect();
    for (;;) {
      const begunAt = clock.monotonic();
      const isLast = isStopping;
      await cycle(shipping);
      if (isLast) return shipping.end();
      // What is acknowledged now must be in the store in time. Half of the time is for writing, and more of it if the last cycle was slow.
      const tookMs = clock.monotonic() - begunAt;
      if (waiters.length === 0) await pause(Math.max(0, Math.min(everyMs / 2, everyMs - 3 * tookMs) - tookMs));
    }
  };

  /** @returns whether to try again */
  const handle = async (error: unknown, attempt: number): Promise<boolean> => {
    if (error instanceof StoppedError || abort.signal.aborted) return false;
    if (error instanceof RefusedError) {
      if (refused?.message !== error.message) log.error(error.message);
      refused = error;
      refuseWaiters(error.message);
      shipping = undefined;
      if (error.isFinal || isStopping) return false;
    } else if (error instanceof ConflictError) shipping = undefined;
    else {
      const problem = error instanceof Error ? error.message : String(error);
      log.error('the backup was interrupted; trying again', { cause: error });
      failure = problem;
      refuseWaiters(problem);
      shipping = undefined;
    }
    if (isStopping) return false;
    await pause(
      error instanceof RefusedError ? Math.min(everyMs, limits.maxRetryMs) : retryMs(error as Error, attempt),
    );
    return true;
  };

  const run = async (): Promise<void> => {
    for (let attempt = 0; ; attempt++)
      try {
        return await work();
      } catch (error) {
        if (!(await handle(error, attempt))) return;
      }
  };

  const wait = (lost: readonly string[], forget: boolean): Promise<void> => {
    if (isStopping) throw notNow('the server is stopping');
    if (refused && !forget) throw notNow(refused.message);
    const waiter = { ...Promise.withResolvers<void>(), lost, forget };
    waiters.push(waiter);
    wakeUp();
    return waiter.promise;
  };

  /** The age of the oldest change that is not in the store, ms; 0 if everything is there. */
  const ageMs = (changedAgeMs: number): number =>
    Math.max(
      unfiledMs(),
      wasComplete ? changedAgeMs : clock.monotonic() - startedAt,
      taken ? clock.monotonic() - taken.since : 0,
    );

  const status = async (): Promise<BackupStatus> => {
    const { changed, ageMs: changedAgeMs } = await changedPages({ kind: 'state' });
    const age = ageMs(changedAgeMs);
    const state = refused ? 'refused' : failure !== undefined ? 'failing' : age > everyMs ? 'behind' : 'ok';
    const problem = refused?.message ?? failure;
    return {
      state,
      store: objectStore.location,
      ageS: Math.ceil(age / 1000),
      pendingBytes: changed * pageBytes + (taken?.bytes ?? 0),
      oldest: shipping?.oldest() ?? null,
      problem: problem ?? (warnings.length > 0 ? warnings.join('; ') : null),
    };
  };

  return {
    start(): void {
      running = run();
    },
    status,
    /** In seconds, for the metric. */
    ageS: async (): Promise<number> => ageMs((await changedPages({ kind: 'state' })).ageMs) / 1000,
    /** Waits until everything that was acknowledged before is in the store. @throws unavailable */
    async now(): Promise<BackupStatus> {
      await wait([], false);
      return status();
    },
    /** Writes again what is in these objects, which a check found missing or damaged. @throws unavailable */
    async repair(objects: readonly string[]): Promise<BackupStatus> {
      await wait(objects, false);
      return status();
    },
    /**
     * Resolves when nothing that was deleted before can be restored, and the objects with it are deleted. Waits for the store as long
     * as it takes. @throws unavailable when the server stops
     */
    forget: async (): Promise<void> => wait([], true),
    /** Writes the rest and lets another server take over, unless that takes too long. */
    async stop(): Promise<void> {
      isStopping = true;
      wakeUp();
      const timer = setTimeout(() => abort.abort(new StoppedError('stopped')), limits.stopMs);
      await running;
      clearTimeout(timer);
      for (const { reject } of waiters.splice(0)) reject(notNow('the server is stopping'));
    },
  };
}

const notNow = (problem: string) => unavailable(problem, retryAfterS);
