/* Backup and check, wherever the database is open: in the server while it runs, else in the command itself. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { encodeBytes } from '../core/base32.ts';
import { AppError, conflict, invalid } from '../core/errors.ts';
import { databaseChecks } from '../db/check.ts';
import { writeCopy } from '../db/copies.ts';
import type { Services } from '../wiring.ts';
import { secretPath } from './data-directory.ts';

/** `secretFile`: the copy of the generated secret; null when HOOKTAPE_SECRET is set, which is not Hooktape's to copy. */
export type BackedUp = { file: string; bytes: number; secretFile: string | null };

export type Checked = { ok: boolean; checked: string[]; problems: { check: string; problem: string }[] };

/** Where the generated secret of a backup lies. */
export const secretBeside = (file: string): string => `${file}.secret`;

/** @param file absolute: the server has a working directory of its own @throws AppError */
export async function backUp({ config, database, spawn, random }: Services, file: string): Promise<BackedUp> {
  const { upkeep } = database;
  if (!upkeep) throw invalid('the database is on a libSQL server: back it up there');
  if (!isAbsolute(file)) throw invalid('the path must be absolute');
  if (existsSync(file)) throw conflict(`${file} exists, and nothing is ever overwritten`);
  const secretFile = config.secret === undefined ? secretBeside(file) : null;
  let wroteSecret = false;
  try {
    // The secret first: a backup that has its name is complete.
    if (secretFile !== null) wroteSecret = copySecret(secretPath(config), secretFile);
    const part = `${file}.${encodeBytes(random(5))}.part`;
    return { file, bytes: await writeCopy({ upkeep, spawn, file, part }), secretFile };
  } catch (error) {
    if (wroteSecret && secretFile !== null) rmSync(secretFile, { force: true });
    throw refusal(error);
  }
}

/** false when it is there already, which a backup that was cut off leaves behind. @throws conflict when another one is */
function copySecret(from: string, to: string): boolean {
  const secret = readFileSync(from, 'utf8');
  if (existsSync(to)) {
    if (readFileSync(to, 'utf8') === secret) return false;
    throw conflict(`${to} exists, and nothing is ever overwritten`);
  }
  writeFileSync(to, secret, { mode: 0o600, flag: 'wx', flush: true });
  return true;
}

/** The caller is the operator: the system's own words are what helps. */
function refusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('unavailable', `the backup could not be written: ${(error as Error).message}`, { cause: error });
}

/** Looks at everything that is stored. @param reindex build the search index anew first */
export async function checkAll({ database, sealer, search }: Services, reindex: boolean): Promise<Checked> {
  if (reindex) await search.reindex();
  return database.withReader(async client => {
    const checks = databaseChecks(client, sealer, database.file !== undefined);
    checks.push({ name: 'index', run: search.checkIndex });
    const checked: string[] = [];
    const problems: Checked['problems'] = [];
    for (const { name, run } of checks) {
      checked.push(name);
      for (const problem of await run()) problems.push({ check: name, problem });
      // In a file whose structure is broken nothing else can be believed, or safely read.
      if (name === 'structure' && problems.length > 0) break;
    }
    return { ok: problems.length === 0, checked, problems };
  });
}
