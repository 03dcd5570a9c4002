/* The data directory: created with mode 0700, locked by one process, with the secret that seals stored values. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { encodeBytes } from '../core/encoding/base32.ts';
import { secretMustBe } from '../core/secrets/secret-length.ts';
import { fromFileUrl } from '../db/files/file-url.ts';
import { type DataLock, LockedError, lockDatabase, lockFilesIn, lockFilesOf } from '../db/files/lock.ts';
import { moveIntoPlace } from '../db/files/publish-file.ts';
import { resolveSymlinks } from '../db/files/symlinks.ts';
import { SecretError, ShortSecretError } from '../db/secret-check.ts';
import { journalDirectory } from '../wiring/journal.ts';
import { ConfigurationError, type Io, OperationError } from './io.ts';
import { removeUnfinished } from './unfinished-files.ts';

/** The generated secret, used when HOOKTAPE_SECRET is not set. */
export const secretPath = (config: Pick<Config, 'dataDir'>): string => join(config.dataDir, 'secret');

/** The secret is written here first, under the directory's lock. */
export const secretPart = (file: string): string => `${file}.tmp`;

export const socketPath = (config: Pick<Config, 'dataDir'>): string => join(config.dataDir, 'hooktape.sock');

/** The server's name in the message about a locked directory. */
export const serverName = 'hooktape serve';

const pollMs = 50;

const { R_OK, W_OK, X_OK } = constants;

/**
 * Creates the directory if needed and locks it, and the database file when that is in another directory.
 * @param timeoutMs how long to wait for a command that holds the lock; a server is never waited for
 * @throws LockedError if another Hooktape holds one of the locks
 */
export async function openDataDirectory(io: Io, config: Config, holder: string, timeoutMs = 0): Promise<DataLock> {
  const { dataDir } = config;
  const database = fromFileUrl(config.databaseUrl);
  makeUsable(config);
  io.useDataDirectory(dataDir);
  const until = io.clock.monotonic() + timeoutMs;
  for (;;) {
    try {
      const lock = await lockDatabase(dataDir, database, `${holder} (pid ${io.pid})`);
      removeUnfinished(dataDir, io.clock.now());
      return lock;
    } catch (error) {
      const waiting = error instanceof LockedError && !error.holder.startsWith(serverName);
      if (!waiting || io.clock.monotonic() >= until) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
}

/**
 * Refuses to work without a database and its data directory, so that a command in the wrong folder creates nothing and does not
 * report success.
 * @throws OperationError with the path where the database or the directory was expected
 */
export function requireDatabase({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): void {
  const database = fromFileUrl(databaseUrl);
  // A libSQL server reports a missing database itself.
  const isThere = database === undefined || hasContent(database) || hasContent(`${resolveSymlinks(database)}-wal`);
  if (isThere && existsSync(dataDir)) return;
  throw new OperationError(
    `there is no ${isThere ? `data directory at ${resolve(dataDir)}` : `database at ${resolve(database)}`}\nRun the command in the folder of the server, or with the server's settings (HOOKTAPE_DATA_DIR or --env-file FILE). \`hooktape serve\` and \`hooktape account create\` create a new database.`,
  );
}

/** Whether a command uses a data directory: with a libSQL server and HOOKTAPE_SECRET, it works without one. */
export const needsDirectory = ({ dataDir, databaseUrl, secret }: Config): boolean =>
  fromFileUrl(databaseUrl) !== undefined || secret === undefined || existsSync(dataDir);

/** Whether a process that holds the data directory may be creating the database. */
export const isHeld = ({ dataDir }: Pick<Config, 'dataDir'>): boolean => {
  const [, holder = ''] = lockFilesIn(dataDir);
  return existsSync(holder);
};

/** True for a file that cannot be accessed: opening it later reports the reason. */
function hasContent(file: string): boolean {
  try {
    return bytesOf(file) > 0;
  } catch {
    return true;
  }
}

/** SQLite reports all of these problems as "unable to open database file"; say which one it is. */
function makeUsable({ dataDir, databaseUrl }: Config): void {
  attempt(`the data directory ${dataDir} cannot be created`, () => {
    const isNew = mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined;
    // The directory may be in a project's folder: database and secret must not get into its repository.
    if (isNew) writeFileSync(join(dataDir, '.gitignore'), '*\n', { mode: 0o600 });
  });
  // An existing directory keeps its mode, but loses the permissions for all other users.
  if ((statSync(dataDir).mode & 0o007) !== 0) tryToTighten(dataDir);
  attempt(`the data directory ${dataDir} cannot be used`, () => accessSync(dataDir, R_OK | W_OK | X_OK));
  const files = lockFilesIn(dataDir);
  const given = fromFileUrl(databaseUrl);
  const database = given && resolveSymlinks(given);
  if (database !== undefined) {
    checkPlace(database);
    files.push(...['', '-wal', '-shm'].map(suffix => `${database}${suffix}`), ...lockFilesOf(database));
  }
  for (const file of files.filter(existsSync))
    attempt(
      `${file} cannot be written`,
      () => accessSync(file, R_OK | W_OK),
      dirname(resolve(file)) === resolve(dataDir) ? undefined : 'HOOKTAPE_DATABASE_URL',
    );
  const journal = database && journalDirectory(database);
  if (journal !== undefined && existsSync(journal))
    attempt(`the capture journal ${journal} cannot be used`, () => accessSync(journal, R_OK | W_OK | X_OK));
  const secret = secretPath({ dataDir });
  if (existsSync(secret)) attempt(`${secret} cannot be read`, () => accessSync(secret, R_OK));
  if (database !== undefined) refuseLogAlone(database);
}

/** @throws OperationError with the setting to change */
function checkPlace(database: string): void {
  const wayOut = 'or set HOOKTAPE_DATABASE_URL to a file in an existing directory.';
  if (statSync(database, { throwIfNoEntry: false })?.isDirectory())
    throw new OperationError(`the database ${database} is a directory\nName a file in it, ${wayOut}`);
  if (!existsSync(dirname(database)))
    throw new OperationError(`the directory ${dirname(database)} of the database does not exist\nCreate it, ${wayOut}`);
  attempt(
    `the directory ${dirname(database)} of the database cannot be used`,
    () => accessSync(dirname(database), W_OK | X_OK),
    'HOOKTAPE_DATABASE_URL',
  );
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** SQLite would delete the log of a missing database, or apply it to another one there, such as a restored one. */
function refuseLogAlone(database: string): void {
  const log = `${database}-wal`;
  if (bytesOf(database) > 0 || bytesOf(log) === 0) return;
  throw new OperationError(
    `${database} is missing or empty, but its write-ahead log ${log} exists and has the newest events\nPut the database file back next to it. To start with an empty database or to restore a backup, move the write-ahead log away.`,
  );
}

const notAllowed = [
  'permission denied',
  'Run Hooktape as its owner, change its owner to this user (chown -R), or',
] as const;
const reasons: Record<string, readonly [why: string, wayOut: string]> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: ['the file system is read-only', 'Mount it writable, or'],
};
const other = { HOOKTAPE_DATA_DIR: 'another directory', HOOKTAPE_DATABASE_URL: 'a file in another directory' };

function attempt(what: string, act: () => void, setting: keyof typeof other = 'HOOKTAPE_DATA_DIR'): void {
  try {
    act();
  } catch (cause) {
    const { code, message } = cause as Error & { code?: unknown };
    // The advice for a full disk is the same for all commands (system-errors.ts).
    if (code === 'ENOSPC') throw cause;
    const [why, wayOut] = reasons[String(code)] ?? [message, undefined];
    const next =
      wayOut === undefined
        ? `Set ${setting} to a writable directory.`
        : `${wayOut} set ${setting} to ${other[setting]}.`;
    throw new OperationError(`${what}: ${why}\n${next}`, { cause });
  }
}

/** Names of files in a data directory: the server's own, and names that file systems create in an empty volume. */
const ours = /^(?:hooktape\.|secret$|secret\.tmp$|\.libsql-|\.gitignore$|lost\+found$)/;

/** Only if the directory has no other files: if a setting is /tmp or / by mistake, that directory must stay accessible. */
function tryToTighten(dataDir: string): void {
  try {
    if (readdirSync(dataDir).every(name => ours.test(name))) chmodSync(dataDir, statSync(dataDir).mode & 0o770);
  } catch {
    // Another user owns the directory, for example a mounted volume. The files in it are 0600 anyway.
  }
}

/**
 * Calls `open` with the secret. A secret file created here is removed if the database has a different secret. @throws
 * ConfigurationError if the secret is too short for a new database
 */
export async function withSecret<T>(io: Io, config: Config, open: (secret: string) => Promise<T>): Promise<T> {
  const file = secretPath(config);
  const hadSecret = config.secret !== undefined || existsSync(file);
  try {
    return await open(readOrCreateSecret(io, config));
  } catch (error) {
    if (error instanceof ShortSecretError) {
      const source = config.secret === undefined ? file : 'HOOKTAPE_SECRET';
      throw new ConfigurationError([`${source}: ${secretMustBe}`]);
    }
    if (hadSecret || !(error instanceof SecretError)) throw error;
    rmSync(file, { force: true });
    throw new SecretError(
      `the secret of this database is missing: set HOOKTAPE_SECRET (in the environment or with --env-file FILE), or put ${file} back`,
    );
  }
}

/** HOOKTAPE_SECRET, or the secret in `DATA_DIR/secret`, which is generated at the first use. */
export function readOrCreateSecret(io: Io, config: Config): string {
  if (config.secret !== undefined) return config.secret;
  const file = secretPath(config);
  if (!existsSync(file)) {
    writeSecretFile(file, `${encodeBytes(io.random(32))}\n`, secretPart(file));
    flushDirectory(config.dataDir);
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '')
    throw new Error(`${file} is empty; restore it from a backup, or delete it if nothing was encrypted with it`);
  return secret;
}

/**
 * Writes a secret to its own file: atomically, readable by its owner only, never over an existing file.
 * @param part path of the temporary file, in the same directory @throws conflict if `file` exists, or a system error
 */
export function writeSecretFile(file: string, secret: string, part: string): void {
  // Left by an interrupted attempt.
  rmSync(part, { force: true });
  try {
    writeFileSync(part, secret, { mode: 0o600, flag: 'wx', flush: true });
    moveIntoPlace(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}

/** A new file name is on disk only after its directory has been synced. */
function flushDirectory(path: string): void {
  let directory: number | undefined;
  try {
    directory = openSync(path, 'r');
    fsyncSync(directory);
  } catch {
    // Windows and some file systems do not support this.
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}
