/*
 * Makes rows that were deleted vanish from the disk, while capture continues: from free pages and from the unused parts of other pages,
 * from the write-ahead log, from the capture journal, and from copies of the database. The deleted rows are not named, so a purge
 * that was interrupted is simply run again.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import type { BackgroundJob } from '../background.ts';
import { syncDirectory } from '../files/publish-file.ts';
import type { Maintenance } from '../maintenance.ts';

const sliceMs = 4;
/** SQLite sometimes moves a page behind the pages that are already cleared; the next pass finds it. */
const maxPasses = 4;
const retryMs = 50;

export type Purge = ReturnType<typeof createPurge>;

type PurgeOptions = {
  maintenance: Maintenance;
  file: string;
  background: { add: (job: BackgroundJob) => { wake: () => void } };
  /** Replaces the files of the capture journal. Resolves once the earlier files are deleted. */
  renewJournal: () => Promise<void>;
};

type Round = { pass: number; next: number; changed: number; done: PromiseWithResolvers<void> };

export function createPurge({ maintenance, file, background, renewJournal }: PurgeOptions) {
  const batchSize = createBatchSize({ targetMs: sliceMs, initial: 16, min: 4, max: 1024 });
  let round: Round | undefined;
  let last: Promise<void> = Promise.resolve();

  const slice: BackgroundJob['slice'] = async () => {
    if (!round) return 'done';
    const count = batchSize.units();
    const { pages, changed, writerMs } = await maintenance.clearPages(round.next, count);
    batchSize.record(count, writerMs);
    round.changed += changed;
    round.next += count;
    if (round.next <= pages) return 'more';
    if (round.changed > 0 && round.pass < maxPasses) {
      Object.assign(round, { pass: round.pass + 1, next: 1, changed: 0 });
      return 'more';
    }
    await maintenance.stopClearing();
    if (!(await maintenance.truncateWal())) return { restMs: retryMs };
    const { done } = round;
    round = undefined;
    done.resolve();
    return 'done';
  };
  const job = background.add({ name: 'purge', slice });

  const purge = async (): Promise<void> => {
    await removeCopies(file);
    await renewJournal();
    round = { pass: 1, next: 1, changed: 0, done: Promise.withResolvers() };
    job.wake();
    await round.done.promise;
  };

  return {
    /** Resolves once no file has the rows that were deleted before the call. @throws when the server stops first */
    run: (): Promise<void> => {
      const next = last.catch(() => {}).then(purge);
      last = next;
      return next;
    },
    /** While it runs, no page may be moved by others. */
    isRunning: (): boolean => round !== undefined,
  };
}

const copySuffix = /^\.before-upgrade-from-\d+(?:\.part)?(?:-(?:journal|wal|shm))?$/;

/** Removes the copies from before upgrades: they are whole databases, and have what has been deleted since. */
async function removeCopies(file: string): Promise<void> {
  const [directory, name] = [dirname(file), basename(file)];
  const copies = readdirSync(directory).filter(
    entry => entry.startsWith(name) && copySuffix.test(entry.slice(name.length)),
  );
  for (const copy of copies) rmSync(join(directory, copy), { force: true });
  if (copies.length > 0) await syncDirectory(directory);
}
