/*
 * `hooktape restore FILE`: restores a backup into an empty data directory. Before anything is changed it refuses a directory that
 * is not empty, a damaged or newer backup, and a backup whose sealed values cannot be opened.
 */
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { invalid, notFound } from '../core/errors.ts';
import { createSealer } from '../core/secrets/seal.ts';
import { copyOf, restoreBackup } from '../db/backup.ts';
import { fromFileUrl } from '../db/files/file-url.ts';
import { provesSecret, readSecretProof } from '../db/secret-check.ts';
import { printResult } from './client/output.ts';
import { openDataDirectory, secretPart, secretPath, writeSecretFile } from './data-directory.ts';
import { checkEmpty, hasSameSecret } from './empty-directory.ts';
import { type Io, type Run, UsageError } from './io.ts';
import { backupSecretPath } from './maintenance.ts';
import { loadConfig } from './settings.ts';

export const runRestore: Run = async (given, io) => {
  const { config } = loadConfig(io, given.envFile, { acceptShortSecret: true });
  const [backup, at] = [given.argument(0), given.option('at')];
  if (backup.startsWith('s3:')) {
    const { restoreFromS3 } = await import('./s3/restore.ts');
    return restoreFromS3(io, config, { from: backup, at, json: given.json });
  }
  if (at !== undefined) throw new UsageError('--at is for a backup in an object store: s3://BUCKET/PREFIX');
  const from = resolve(backup);
  const file = fromFileUrl(config.databaseUrl);
  if (file === undefined) throw invalid('the database is on a libSQL server: restore it there');
  checkSource(from);
  const backupSecret = secretOf(config, from);
  checkEmpty(config, file, backupSecret);
  const lock = await openDataDirectory(io, config, 'hooktape restore');
  try {
    checkEmpty(config, file, backupSecret);
    await restoreFile({ io, config, from, file: resolve(file), backupSecret });
  } finally {
    await lock.release();
  }
  const { dataDir } = config;
  printResult(io, given, { dataDir, file: resolve(file) }, `${dataDir}\n`);
};

function checkSource(from: string): void {
  try {
    accessSync(from, constants.R_OK);
    if (existsSync(backupSecretPath(from))) accessSync(backupSecretPath(from), constants.R_OK);
  } catch (error) {
    const { code, message } = error as Error & { code?: unknown };
    if (code === 'ENOENT') throw notFound(`the backup ${from}`);
    throw invalid(
      `the backup cannot be read: ${message}\nRun this command as the server's user, and make FILE and FILE.secret readable for that user.`,
    );
  }
  if (!statSync(from).isFile()) throw invalid(`${from} is not a file: name the backup file`);
  if (existsSync(`${from}-wal`) && statSync(`${from}-wal`).size > 0)
    throw invalid(
      `${from} is not a backup but a database that is in use or was not closed properly (${basename(from)}-wal exists)`,
    );
}

/** The backup's secret for `DATA_DIR/secret`. */
function secretOf(config: Config, from: string): string | undefined {
  const beside = backupSecretPath(from);
  return config.secret === undefined && existsSync(beside) ? readFileSync(beside, 'utf8') : undefined;
}

type Restore = { io: Io; config: Config; from: string; file: string; backupSecret: string | undefined };

async function restoreFile({ io, config, from, file, backupSecret }: Restore): Promise<void> {
  const secret = config.secret ?? backupSecret?.trim();
  let wroteSecret = false;
  try {
    await restoreBackup({
      spawn: io.spawn,
      fill: copyOf(from),
      file,
      accept: async client => {
        const proof = await readSecretProof(client);
        if (!proof) throw invalid(`${from} is not a Hooktape backup`);
        if (secret === undefined || !provesSecret(proof, createSealer(secret, io.random)))
          throw invalid(secretAdvice(config, backupSecretPath(from)));
        if (backupSecret === undefined || hasSameSecret(config, backupSecret)) return;
        writeSecretFile(secretPath(config), backupSecret, secretPart(secretPath(config)));
        wroteSecret = true;
      },
    });
  } catch (error) {
    if (wroteSecret) rmSync(secretPath(config), { force: true });
    throw error;
  }
}

function secretAdvice({ secret }: Config, beside: string): string {
  if (secret === undefined)
    return existsSync(beside)
      ? `${beside} is not the secret of this backup`
      : `the secret is missing: put it next to the backup as ${beside}, or set HOOKTAPE_SECRET to the secret of the backup`;
  return `HOOKTAPE_SECRET is not the secret of this backup${existsSync(beside) ? `; unset it to use ${beside}` : ''}`;
}
