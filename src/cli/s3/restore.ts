/* `hooktape restore s3://BUCKET/PREFIX`: reads the whole backup before it writes; a failure leaves nothing. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { invalid } from '../../core/errors.ts';
import { parseS3Location } from '../../core/network/s3-location.ts';
import { createSealer } from '../../core/secrets/seal.ts';
import { restoreBackup } from '../../db/backup.ts';
import { fromFileUrl } from '../../db/files/file-url.ts';
import { provesSecret, readSecretProof } from '../../db/secret-check.ts';
import { parseMoment } from '../../shared/filter/times.ts';
import { printResult } from '../client/output.ts';
import { openDataDirectory } from '../data-directory.ts';
import { checkEmpty } from '../empty-directory.ts';
import { type Io, OperationError, UsageError } from '../io.ts';
import { createProgress } from '../progress.ts';
import { type BrokenObject, openStoredBackup, type StoredBackup } from './stored-backup.ts';

type Request = { readonly from: string; readonly at: string | undefined; readonly json: boolean };

export async function restoreFromS3(io: Io, config: Config, { from, at: given, json }: Request): Promise<void> {
  const location = parseS3Location(from);
  if (!location) throw new UsageError(`${from} must be s3://BUCKET or s3://BUCKET/PREFIX`);
  const at = given === undefined ? undefined : parseMoment(given);
  if (given !== undefined && at === undefined)
    throw new UsageError(`--at must be a time such as 2026-11-28T10:00:00Z, not ${JSON.stringify(given)}`);
  const file = fromFileUrl(config.databaseUrl);
  if (file === undefined) throw invalid('the database is on a libSQL server: restore it there');
  checkEmpty(config, file);
  const stored = openStoredBackup(io, config, location);
  const backup = await stored.read(at === undefined ? {} : { at });
  await leavingNothing(config.dataDir, async () => {
    const lock = await openDataDirectory(io, config, 'hooktape restore');
    try {
      checkEmpty(config, file);
      await restoreState(io, { stored, backup, file: resolve(file), secret: config.secret ?? '' });
    } finally {
      await lock.release();
    }
  });
  const { dataDir } = config;
  printResult(io, { json }, { dataDir, file: resolve(file), at: backup.state.at }, `${dataDir}\n`);
  if (!json) io.stderr(`Restored the state of ${new Date(backup.state.at).toISOString()}.\n`);
}

type State = {
  readonly stored: StoredBackup;
  readonly backup: Awaited<ReturnType<StoredBackup['read']>>;
  readonly file: string;
  readonly secret: string;
  readonly onBroken?: (broken: BrokenObject) => void;
};

/** Makes the file under its final name only when it is complete and checked. */
export async function restoreState(io: Io, { stored, backup, file, secret, onBroken }: State): Promise<void> {
  const progress = createProgress(io, backup.map.objectsNeeded().length);
  try {
    await restoreBackup({
      spawn: io.spawn,
      fill: partialFile => {
        const onObject = (done: number, of: number): void => progress.show(done, `${done} of ${of} objects`);
        return stored.write(backup, partialFile, { onObject, ...(onBroken && { onBroken }) });
      },
      file,
      accept: async client => {
        const proof = await readSecretProof(client);
        if (!proof || !provesSecret(proof, createSealer(secret, io.random)))
          throw new OperationError('the backup is not one of a Hooktape database with this secret');
      },
    });
  } finally {
    progress.clear();
  }
}

/** What this command makes in the data directory beside the database. */
const ownFiles = /^(?:\.gitignore|\.libsql-.*|hooktape\.lock(?:\.holder)?)$/;

/** After a failure, removes what was not in the data directory before, unless another process has begun to use it. */
async function leavingNothing(dataDir: string, work: () => Promise<void>): Promise<void> {
  const before = namesIn(dataDir);
  try {
    await work();
  } catch (error) {
    const added = namesIn(dataDir)?.filter(name => !before?.includes(name)) ?? [];
    if (added.every(name => ownFiles.test(name))) {
      for (const name of added) rmSync(join(dataDir, name), { force: true });
      if (!before && existsSync(dataDir)) rmdirSync(dataDir);
    }
    throw error;
  }
}

const namesIn = (directory: string): string[] | undefined =>
  existsSync(directory) ? readdirSync(directory) : undefined;
