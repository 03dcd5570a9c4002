/* Backup and check, wherever the database is open: in the server while it runs, else in the command itself. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { encodeBytes } from '../core/base32.ts';
import { AppError, conflict, invalid } from '../core/errors.ts';
import { writeBackup } from '../db/backup.ts';
import { databaseChecks } from '../db/checks/database-checks.ts';
import type { Services } from '../wiring.ts';
import { secretPath } from './data-directory.ts';
import { diskErrorMessage } from './disk-errors.ts';
import { writeSecretFile } from './secret-file.ts';
import { noteUnfinished, partialPath } from './unfinished-files.ts';

/** `secretFile`: the copy of the generated secret; null when HOOKTAPE_SECRET is set, which is not Hooktape's to copy. */
export type BackupResult = { file: string; bytes: number; secretFile: string | null };

export type CheckResult = { ok: boolean; checked: string[]; problems: { check: string; problem: string }[] };

/** Where the generated secret of a backup lies. */
export const backupSecretPath = (file: string): string => `${file}.secret`;

/** @param file absolute: the server has a working directory of its own @throws AppError */
export async function backUp({ config, database, spawn, random }: Services, file: string): Promise<BackupResult> {
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
    const isThere = secretFile !== null && holds(secretFile, secret);
    // The secret before the name: a backup that has its name is complete.
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

/** @throws AppError with what to name instead */
function checkTarget(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw conflict(`${file} is a directory: name a file in it`);
  if (found) throw conflict(`${file} exists, and nothing is ever overwritten: name another file`);
  if (!existsSync(dirname(file)))
    throw invalid(`the backup could not be written: the directory ${dirname(file)} is not there; make it first`);
}

/** Whether it is there already, which a backup that was cut off leaves behind. @throws conflict when it is another one */
function holds(secretFile: string, secret: string | null): boolean {
  if (!existsSync(secretFile)) return false;
  if (readFileSync(secretFile, 'utf8') === secret) return true;
  throw conflict(`${secretFile} exists, and nothing is ever overwritten: name another file`);
}

const forbidden = ['EACCES', 'EPERM', 'EROFS'];

/** The caller is the operator: the system's own words are what helps. */
function refusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { message, code } = error as Error & { code?: unknown };
  const wayOut = forbidden.includes(String(code))
    ? '\nWhile the server runs, it is the server that writes: name a file where its user may, such as below its data directory.'
    : '';
  return new AppError(
    'unavailable',
    `the backup could not be written: ${diskErrorMessage(error) ?? message}${wayOut}`,
    {
      cause: error,
    },
  );
}

/** Looks at everything that is stored. @param reindex build the search index anew first */
export async function checkAll({ database, sealer, search }: Services, reindex: boolean): Promise<CheckResult> {
  if (reindex) await search.reindex();
  return database.withReader(async client => {
    const checks = databaseChecks(client, sealer, database.file !== undefined);
    checks.push({ name: 'index', run: search.checkIndex });
    const checked: string[] = [];
    const problems: CheckResult['problems'] = [];
    for (const { name, run } of checks) {
      checked.push(name);
      for (const problem of await run()) problems.push({ check: name, problem });
      // In a file whose structure is broken nothing else can be believed, or safely read.
      if (name === 'structure' && problems.length > 0) break;
    }
    return { ok: problems.length === 0, checked, problems };
  });
}
