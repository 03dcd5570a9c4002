/* The data directory: made 0700, locked for one process, with the secret that seals what is stored in it. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { encodeBytes } from '../core/base32.ts';
import { type DataDirectoryLock, LockedError, lockDataDirectory } from '../db/lock.ts';
import type { Io } from './io.ts';
import { writeSecretFile } from './secret-file.ts';

/** Where a secret is kept that nobody set. */
export const secretPath = (config: Pick<Config, 'dataDir'>): string => join(config.dataDir, 'secret');

export const socketPath = (config: Pick<Config, 'dataDir'>): string => join(config.dataDir, 'hooktape.sock');

/** How the server names itself to whoever finds the directory locked. */
/** Where it is written first. Nobody else writes there: the lock is ours. */
export const secretPart = (file: string): string => `${file}.tmp`;

export const serverName = 'hooktape serve';

const pollMs = 50;

/**
 * Makes the directory if needed and locks it.
 * @param patienceMs how long to wait for a command that has it at the moment; never for a server
 * @throws LockedError when another Hooktape has it
 */
export async function openDataDirectory(
  io: Io,
  config: Config,
  holder: string,
  patienceMs = 0,
): Promise<DataDirectoryLock> {
  const { dataDir } = config;
  if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // An existing directory with anything in it keeps the mode that its owner gave it, but not for everybody.
  if ((statSync(dataDir).mode & 0o007) !== 0) tryToTighten(dataDir);
  io.useDataDirectory(dataDir);
  const until = io.clock.monotonic() + patienceMs;
  for (;;) {
    try {
      return await lockDataDirectory(dataDir, `${holder} (pid ${io.pid})`);
    } catch (error) {
      const waiting = error instanceof LockedError && !error.holder.startsWith(serverName);
      if (!waiting || io.clock.monotonic() >= until) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
}

function tryToTighten(dataDir: string): void {
  try {
    chmodSync(dataDir, statSync(dataDir).mode & 0o770);
  } catch {
    // Somebody else's directory, such as a mounted volume: its files are 0600 all the same.
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
