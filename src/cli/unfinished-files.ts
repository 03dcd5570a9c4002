/* Removes unfinished files of a killed process: a note in the data directory has the path of each partial backup. */
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const notePrefix = 'hooktape.unfinished-';
/** The name of a file while it is being written: its final name and a unique tag. */
export const partialPath = (file: string, tag: string): string => `${file}.${tag}.part`;
const tagOf = (path: string): string | undefined => /\.([0-9a-z]{8})\.part$/.exec(path)?.[1];

/**
 * Writes a note about a file that is about to be created.
 * @param part absolute path, from `partialPath`
 * @returns a function that removes the note; call it once the file is complete or removed
 */
export function noteUnfinished(dataDir: string, part: string): () => void {
  const note = join(dataDir, `${notePrefix}${tagOf(part)}`);
  try {
    writeFileSync(note, part, { mode: 0o600, flag: 'wx' });
  } catch {
    // On a full disk, a backup to another disk matters more than cleaning up after a kill.
  }
  return () => rmSync(note, { force: true });
}

/** The libSQL addon while it is extracted, which happens before the lock is taken. */
const libraryPart = /^\.libsql-[0-9a-f]+\.node\.[0-9a-f-]{36}$/;
const staleMs = 3_600_000;

/** Call it with the directory locked: then no noted file is still being written. @param now epoch ms */
export function removeUnfinished(dataDir: string, now: number): void {
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    try {
      if (name.startsWith(notePrefix)) clearNoted(path);
      else if (libraryPart.test(name) && now - lstatSync(path).mtimeMs > staleMs) rmSync(path);
    } catch {
      // The file only wastes disk space.
    }
  }
}

function clearNoted(note: string): void {
  const part = readFileSync(note, 'utf8');
  // An incomplete note is ignored. SQLite writes a journal beside the file.
  if (tagOf(part) !== undefined && isAbsolute(part))
    for (const file of [part, `${part}-journal`]) rmSync(file, { force: true });
  rmSync(note);
}
