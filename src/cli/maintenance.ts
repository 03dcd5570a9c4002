/* Backup and check. They run in the process that has the database open: the server, or the command if no server is running. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { encodeBytes } from '../core/encoding/base32.ts';
import { AppError, conflict, invalid } from '../core/errors.ts';
import { writeBackup } from '../db/backup.ts';
import { databaseChecks } from '../db/checks/database-checks.ts';
import type { CoreServices } from '../wiring/core.ts';
import { secretPath, writeSecretFile } from './data-directory.ts';
import { diskErrorMessage } from './system-errors.ts';
import { noteUnfinished, partialPath } from './unfinished-files.ts';

/** `secretFile`: the copy of the generated secret; null if HOOKTAPE_SECRET is set, which the operator keeps. */
export type BackupResult = { file: string; bytes: number; secretFile: string | null };

export type CheckResult = { ok: boolean; checked: string[]; problems: { check: string; problem: string }[] };

/** The path of the secret that belongs to a backup. */
export const backupSecretPath = (file: string): string => `${file}.secret`;

/** @param file absolute, because the server has a different working directory @throws AppError */
export async function backUp({ config, database, spawn, random }: CoreServices, file: string): Promise<BackupResult> {
  const { maintenance } = database;
  if (!maintenance) throw invalid('the database is on a libSQL server: back it up there');
  if (!isAbsolute(file)) throw invalid('the path must be absolute');
  const secretFile = config.secret === undefined ? backupSecretPath(file) : null;
  const secret = secretFile === null ? null : readFileSync(secretPath(config), 'utf8');
  const notes: (() => void)[] = [];
  const part = (name: string): string => {
    const made = partialPath(name, encodeBytes(random(5)));
    notes.push(noteUnfinished(config.dataDir, made));
    return made;
  };
  let wroteSecret = false;
  try {
    checkTarget(file);
    const isThere = secretFile !== null && hasSecretFile(secretFile, secret);
    // The secret is written before the backup gets its name, so a backup with its name is complete.
    const whole = (): void => {
      if (secretFile === null || secret === null || isThere) return;
      writeSecretFile(secretFile, secret, part(secretFile));
      wroteSecret = true;
    };
    return {
      file,
      bytes: await writeBackup({ maintenance, spawn, file, partialFile: part(file), beforePublish: whole }),
      secretFile,
    };
  } catch (error) {
    if (wroteSecret && secretFile !== null) rmSync(secretFile, { force: true });
    throw refusal(error);
  } finally {
    for (const forget of notes) forget();
  }
}

/** @throws AppError with what to do */
function checkTarget(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw conflict(`${file} is a directory: name a file in it`);
  if (found) throw conflict(`${file} already exists: choose another name`);
  if (!existsSync(dirname(file)))
    throw invalid(`the backup could not be written: the directory ${dirname(file)} does not exist; create it first`);
}

/** Whether an interrupted backup has left the same secret file. @throws conflict if the file has a different secret */
function hasSecretFile(secretFile: string, secret: string | null): boolean {
  if (!existsSync(secretFile)) return false;
  if (readFileSync(secretFile, 'utf8') === secret) return true;
  throw conflict(`${secretFile} already exists: choose another name`);
}

const forbidden = ['EACCES', 'EPERM', 'EROFS'];

/** Includes the system's message, because the caller is the operator. */
function refusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { message, code } = error as Error & { code?: unknown };
  const advice = forbidden.includes(String(code))
    ? "\nThe running server writes the file: choose a path that the server's user can write to, such as one in its data directory."
    : '';
  return new AppError(
    'unavailable',
    `the backup could not be written: ${diskErrorMessage(error) ?? message}${advice}`,
    {
      cause: error,
    },
  );
}

/** Checks everything that is stored. @param reindex rebuild the search index first */
export async function checkAll(
  { database, journal, sealer, search }: CoreServices,
  reindex: boolean,
): Promise<CheckResult> {
  if (reindex) await search.reindex();
  return database.withReader(async client => {
    const checks = databaseChecks(client, sealer, database.file !== undefined);
    checks.push({ name: 'index', run: search.checkIndex });
    if (journal) checks.push({ name: 'journal', run: async () => journal.problems() });
    const checked: string[] = [];
    const problems: CheckResult['problems'] = [];
    for (const { name, run } of checks) {
      checked.push(name);
      for (const problem of await run()) problems.push({ check: name, problem });
      // If the structure is damaged, nothing else can be read safely.
      if (name === 'structure' && problems.length > 0) break;
    }
    return { ok: problems.length === 0, checked, problems };
  });
}
