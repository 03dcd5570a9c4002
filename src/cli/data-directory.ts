/* The data directory: made 0700, locked for one process, with the secret that seals what is stored in it. */
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
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { encodeBytes } from '../core/base32.ts';
import { secretMustBe } from '../core/secret-length.ts';
import { fromFileUrl } from '../db/files/file-url.ts';
import { type DataLock, LockedError, lockDatabase, lockFilesIn, lockFilesOf } from '../db/files/lock.ts';
import { resolveSymlinks } from '../db/files/symlinks.ts';
import { SecretError, ShortSecretError } from '../db/secret-check.ts';
import { ConfigurationError, type Io, OperationError } from './io.ts';
import { writeSecretFile } from './secret-file.ts';
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
 * Makes the directory if needed and locks it, and the database if that lies elsewhere.
 * @param timeoutMs how long to wait for a command that holds the lock; a server is never waited for
 * @throws LockedError when another Hooktape has one of them
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

/** SQLite reports all of these problems as "unable to open database file"; say which one it is. */
function makeUsable({ dataDir, databaseUrl }: Config): void {
  attempt(`the data directory ${dataDir} cannot be made`, () => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
  // An existing directory keeps its mode, but loses access for everybody.
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
  const secret = secretPath({ dataDir });
  if (existsSync(secret)) attempt(`${secret} cannot be read`, () => accessSync(secret, R_OK));
  if (database !== undefined) refuseLogAlone(database);
}

/** @throws OperationError that says what to set instead */
function checkPlace(database: string): void {
  const wayOut = 'or set HOOKTAPE_DATABASE_URL to a file in one that is there.';
  if (statSync(database, { throwIfNoEntry: false })?.isDirectory())
    throw new OperationError(`the database ${database} is a directory\nName a file in it, ${wayOut}`);
  if (!existsSync(dirname(database)))
    throw new OperationError(`the directory ${dirname(database)} of the database is not there\nMake it, ${wayOut}`);
  attempt(
    `the directory ${dirname(database)} of the database cannot be used`,
    () => accessSync(dirname(database), W_OK | X_OK),
    'HOOKTAPE_DATABASE_URL',
  );
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * SQLite deletes the write-ahead log of a missing database, and with it the newest events; and it would apply the log to
 * another database, such as a restored one, that is put in its place.
 */
function refuseLogAlone(database: string): void {
  const log = `${database}-wal`;
  if (bytesOf(database) > 0 || bytesOf(log) === 0) return;
  throw new OperationError(
    `${database} is missing or empty, and its log ${log} is there, with the newest events\nPut the database back beside its log, which brings both together; to begin anew or restore a backup, move the log away.`,
  );
}

const notAllowed = [
  'permission denied',
  'Run Hooktape as the user that owns it, give it to this user (chown -R), or',
] as const;
const reasons: Record<string, readonly [why: string, wayOut: string]> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: ['the file system is read-only', 'Mount it so that it can be written, or'],
};
const other = { HOOKTAPE_DATA_DIR: 'another directory', HOOKTAPE_DATABASE_URL: 'a file in another directory' };

function attempt(what: string, act: () => void, setting: keyof typeof other = 'HOOKTAPE_DATA_DIR'): void {
  try {
    act();
  } catch (cause) {
    const { code, message } = cause as Error & { code?: unknown };
    // The advice for a full disk is the same for all commands (disk-errors.ts).
    if (code === 'ENOSPC') throw cause;
    const [why, wayOut] = reasons[String(code)] ?? [message, undefined];
    const next =
      wayOut === undefined
        ? `Set ${setting} to a directory that can be written.`
        : `${wayOut} set ${setting} to ${other[setting]}.`;
    throw new OperationError(`${what}: ${why}\n${next}`, { cause });
  }
}

/** What lies in a data directory: the server's, and what file systems put into an empty volume. */
const ours = /^(?:hooktape\.|secret$|secret\.tmp$|\.libsql-|lost\+found$)/;

/** Only one that holds nothing else: a setting that names /tmp or / by mistake must not close that to others. */
function tryToTighten(dataDir: string): void {
  try {
    if (readdirSync(dataDir).every(name => ours.test(name))) chmodSync(dataDir, statSync(dataDir).mode & 0o770);
  } catch {
    // Somebody else's directory, such as a mounted volume: its files are 0600 all the same.
  }
}

/**
 * Opens what needs the secret. One that was made for a database that has another is taken away again.
 * @throws ConfigurationError when it is too short for a new database
 */
export async function withSecret<T>(io: Io, config: Config, open: (secret: string) => Promise<T>): Promise<T> {
  const file = secretPath(config);
  const isGiven = config.secret !== undefined || existsSync(file);
  try {
    return await open(readOrMakeSecret(io, config));
  } catch (error) {
    if (error instanceof ShortSecretError) {
      const source = config.secret === undefined ? file : 'HOOKTAPE_SECRET';
      throw new ConfigurationError([`${source}: ${secretMustBe}`]);
    }
    if (isGiven || !(error instanceof SecretError)) throw error;
    rmSync(file, { force: true });
    throw new SecretError(
      `this database was made with a secret, and none is given: set HOOKTAPE_SECRET (--env-file FILE names the settings), or put ${file} back`,
    );
  }
}

/** HOOKTAPE_SECRET, or the one in `DATA_DIR/secret`, made on first use. */
export function readOrMakeSecret(io: Io, config: Config): string {
  if (config.secret !== undefined) return config.secret;
  const file = secretPath(config);
  if (!existsSync(file)) {
    writeSecretFile(file, `${encodeBytes(io.random(32))}\n`, secretPart(file));
    flushDirectory(config.dataDir);
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '') throw new Error(`${file} is empty; restore it from a backup, or remove it if nothing was sealed`);
  return secret;
}

/** A new name is on disk only once its directory is. */
function flushDirectory(path: string): void {
  let directory: number | undefined;
  try {
    directory = openSync(path, 'r');
    fsyncSync(directory);
  } catch {
    // Windows and some file systems cannot; they write names as they come.
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}
