/* `hooktape backup s3 verify`: restores and checks the newest state, and names every missing or damaged object. */
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import type { Io } from '../io.ts';
import { OperationError } from '../io.ts';
import { restoreState } from './restore.ts';
import type { BrokenObject, StoredBackup } from './stored-backup.ts';
import { inTemporaryPlace } from './temporary-place.ts';

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
