/*
 * What a process that was killed leaves half done, and whoever has the data directory next takes away. Parts of a backup lie
 * anywhere: a note in the data directory names them while they are made.
 */
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const notePrefix = 'hooktape.unfinished-';
/** Of a file that is being put together: its final name, and a tag that nothing else has. */
export const partialPath = (file: string, tag: string): string => `${file}.${tag}.part`;
const tagOf = (path: string): string | undefined => /\.([0-9a-z]{8})\.part$/.exec(path)?.[1];

/**
 * Notes a file that is about to be made.
 * @param part absolute, as `partOf` names it
 * @returns what takes the note away, once the file is done or gone
 */
export function noteUnfinished(dataDir: string, part: string): () => void {
  const note = join(dataDir, `${notePrefix}${tagOf(part)}`);
  try {
    writeFileSync(note, part, { mode: 0o600, flag: 'wx' });
  } catch {
    // On a full disk a backup to another one matters more than what a kill would leave behind.
  }
  return () => rmSync(note, { force: true });
}

/** The database library while it is unpacked; whoever does that does not have the lock yet, and needs a moment. */
const libraryPart = /^\.libsql-[0-9a-f]+\.node\.[0-9a-f-]{36}$/;
const longAgoMs = 3_600_000;

/** Only for who has the lock: nothing that is noted is under way then. @param now epoch ms */
export function removeUnfinished(dataDir: string, now: number): void {
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    try {
      if (name.startsWith(notePrefix)) clearNoted(path);
      else if (libraryPart.test(name) && now - lstatSync(path).mtimeMs > longAgoMs) rmSync(path);
    } catch {
      // It takes room, and is in nobody's way.
    }
  }
}

function clearNoted(note: string): void {
  const part = readFileSync(note, 'utf8');
  // A note that was cut off itself, or is not ours. SQLite's own journal lies beside what it writes.
  if (tagOf(part) !== undefined && isAbsolute(part))
    for (const file of [part, `${part}-journal`]) rmSync(file, { force: true });
  rmSync(note);
}
