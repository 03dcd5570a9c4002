/* Where a database really is: SQLite puts its log beside what a link leads to, and not beside the link. */
import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** As many as Linux follows; more are a circle, which whoever opens the file is told. */
const mostLinks = 40;

/** What a link leads to, which need not be there yet: SQLite makes it there. What is no link stays as it is written. */
export function resolveSymlinks(file: string, left = mostLinks): string {
  const target = left > 0 ? linkAt(file) : undefined;
  return target === undefined ? file : resolveSymlinks(resolve(realpathSync(dirname(file)), target), left - 1);
}

function linkAt(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // It is no link, or nothing at all.
    return undefined;
  }
}
