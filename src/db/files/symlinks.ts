/* Resolves symbolic links to a database, because SQLite puts the log beside the target of a link. */
import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The most links that Linux follows. With more, opening the file fails. */
const maxLinks = 40;

/** The target of a symbolic link, which may not exist yet: SQLite creates it there. Other paths are returned unchanged. */
export function resolveSymlinks(file: string, linksLeft = maxLinks): string {
  const target = linksLeft > 0 ? readLink(file) : undefined;
  return target === undefined ? file : resolveSymlinks(resolve(realpathSync(dirname(file)), target), linksLeft - 1);
}

function readLink(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // Not a link, or does not exist.
    return undefined;
  }
}
