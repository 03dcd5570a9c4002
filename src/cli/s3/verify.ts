/* `hooktape backup s3 verify`: restores and checks the newest state, and names every missing or damaged object. */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { diskSpace } from '../../db/files/disk-space.ts';
import { type Io, OperationError } from '../io.ts';
import { restoreState } from './restore.ts';
import type { BrokenObject, StoredBackup } from './stored-backup.ts';

export type Verified = {
  /** The time of the checked state, epoch ms. */
  at: number;
  objects: number;
  bytes: number;
  /** Each named once. `object` is null if all objects are right, and yet the database is not. */
  problems: (BrokenObject | { object: null; problem: string })[];
};

/** While it reads, a running server replaces objects; then the newest state no longer needs what is missing. */
const attempts = 3;

export async function verifyBackup(io: Io, stored: StoredBackup, secret: string): Promise<Verified> {
  for (let attempt = 1; ; attempt++) {
    const found = await verifyOnce(io, stored, secret);
    if (attempt === attempts || !found.problems.some(({ problem }) => problem === 'missing')) return found;
  }
}

async function verifyOnce(io: Io, stored: StoredBackup, secret: string): Promise<Verified> {
  const backup = await stored.read({ repair: true });
  const { pages, pageSize, at } = backup.state;
  const broken = new Map<string, BrokenObject>();
  const note = (one: BrokenObject): unknown => broken.set(one.object, one);
  for (const seq of backup.lost) {
    const problem = backup.listed.log.has(seq) ? 'damaged' : 'missing';
    note({ object: stored.names.name({ kind: 'log', seq }), problem });
  }
  for (const seq of backup.lostIndexes) note({ object: stored.names.name({ kind: 'index', seq }), problem: 'damaged' });
  const bytes = pages * pageSize;
  const inDatabase = await inTemporaryPlace(io, bytes, async directory => {
    // The native library goes there, too.
    io.useDataDirectory(directory);
    try {
      await restoreState(io, { stored, backup, file: join(directory, 'hooktape.db'), secret, onBroken: note });
      return undefined;
    } catch (error) {
      if (error instanceof AppError || (error instanceof OperationError && broken.size > 0)) return error.message;
      throw error;
    }
  });
  const problems: Verified['problems'] = [...broken.values()];
  if (problems.length === 0 && inDatabase !== undefined) problems.push({ object: null, problem: inDatabase });
  return { at, objects: backup.map.objectsNeeded().length, bytes, problems };
}

/** Usually on a disk, while /tmp is often in memory. */
const largePlace = '/var/tmp';

/** The directory is removed at the end. @throws OperationError without enough space, or if a signal ends the work */
async function inTemporaryPlace<T>(
  io: Pick<Io, 'env' | 'untilSignal'>,
  bytes: number,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const parent = placeFor(io.env['TMPDIR'] || undefined);
  const { freeBytes } = await diskSpace(join(parent, 'x'));
  if (freeBytes < bytes)
    throw new OperationError(
      `${parent} has ${megabytes(freeBytes)} free, and ${megabytes(bytes)} are needed: set TMPDIR to a directory that has them`,
    );
  const directory = mkdtempSync(join(parent, 'hooktape-verify-'));
  try {
    const interrupted = io.untilSignal().then(signal => {
      throw new OperationError(`ended by ${signal}`);
    });
    return await Promise.race([work(directory), interrupted]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

function placeFor(given: string | undefined): string {
  if (given !== undefined) return given;
  try {
    accessSync(largePlace, constants.W_OK);
    return largePlace;
  } catch {
    return tmpdir();
  }
}
