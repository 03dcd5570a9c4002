/* A restore needs a data directory without data. Files that an interrupted restore has left do not count. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { conflict } from '../core/errors.ts';
import { secretPath } from './data-directory.ts';

/** Files that may exist: locks, the native library, files of an interrupted restore, and files of an empty volume. */
const doesNotCount =
  /^(?:(?:.*\.)?hooktape\.lock(?:\.holder|-journal)?|hooktape\.unfinished-.*|secret\.tmp|\.gitignore|\.libsql-.*|.*\.restoring(?:-wal|-shm)?|lost\+found|\.snapshot)$/;

/** Whether an interrupted restore has already left the same secret. */
export const hasSameSecret = (config: Config, backupSecret: string | undefined): boolean =>
  backupSecret !== undefined &&
  existsSync(secretPath(config)) &&
  readFileSync(secretPath(config), 'utf8') === backupSecret;

/** @param backupSecret may be there already @throws conflict with the names of files that must not be there */
export function checkEmpty(config: Config, file: string, backupSecret?: string): void {
  const { dataDir } = config;
  const obstacles = existsSync(dataDir)
    ? readdirSync(dataDir).filter(
        name => !doesNotCount.test(name) && !(name === 'secret' && hasSameSecret(config, backupSecret)),
      )
    : [];
  if (obstacles.length > 0)
    throw conflict(
      `${dataDir} is not empty (${obstacles.slice(0, 3).join(', ')}): restore into an empty data directory`,
    );
  if (existsSync(file)) throw conflict(`${file} already exists`);
}
