/* A temporary directory with enough space for a database, which is removed at the end, also after Ctrl+C. */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskSpace } from '../../db/files/disk-space.ts';
import { type Io, OperationError } from '../io.ts';

/** Usually on a disk, while /tmp is often in memory. */
const largePlace = '/var/tmp';

/** @throws OperationError if there is not enough space, or if a signal ends the work */
export async function inTemporaryPlace<T>(
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
