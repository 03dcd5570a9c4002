/*
 * Replaces libsql's addon loader in the compiled executable (see native-plugin.ts). The addon is embedded in the executable, but
 * the system can only map a real file: it is written to the first directory that allows execution, starting with the data
 * directory, and an identical file is reused. All threads must map the same file: two copies of SQLite in one process would break
 * each other's file locks.
 *
 * The addon is loaded at the first call, so the entry file only has to set `process.env.HOOKTAPE_DATA_DIR` before a database is
 * opened, and to pass its environment to the Workers.
 */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, linkSync, lstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';

type Native = Record<string, (...args: unknown[]) => unknown>;

export type Addon = {
  /** The file name, different for each version of the addon. */
  name: string;
  size: number;
  /** In hex. Known when the program is built, so that comparing a file does not read the embedded addon into memory. */
  sha256: string;
  /** About ten megabytes, so it is read only if needed. */
  read: () => Uint8Array;
  /** Whether another thread of this process has already compared the file. */
  compared: boolean;
};

/**
 * Writes the addon to `dir` and returns its absolute path. A file that differs in any byte is replaced and never mapped, so no
 * fsync is needed: a file that a power failure truncated is simply written again.
 *
 * @throws if the directory is not writable, or if another user's file has this name
 */
export function extractAddon(addon: Addon, dir: string): string {
  // Absolute: the system would search its library path for a bare file name.
  const path = resolve(dir, addon.name);
  if (containsAddon(path, addon)) return path;
  const part = `${path}.${randomUUID()}`;
  try {
    writeFileSync(part, addon.read(), { flag: 'wx', mode: 0o700 });
    try {
      // Unlike a rename, a link never replaces a file that another thread has mapped in the meantime.
      linkSync(part, path);
    } catch {
      if (!containsAddon(path, addon)) renameSync(part, path);
    }
  } finally {
    rmSync(part, { force: true });
  }
  return path;
}

/** Loads the addon from the first directory that is writable and allows execution. */
export function loadAddon(addon: Addon, dirs: readonly string[]): Native {
  const refusals: string[] = [];
  for (const dir of dirs) {
    try {
      return dlopen(extractAddon(addon, dir));
    } catch (error) {
      refusals.push(`  ${dir}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const message = `no directory for the database engine is writable and mounted with exec:\n${refusals.join('\n')}`;
  // An error with a code is printed without its stack.
  throw Object.assign(new Error(`${message}\nRemount one of them, or set HOOKTAPE_DATA_DIR to such a directory.`), {
    code: 'ERR_DLOPEN_FAILED',
  });
}

/** Directories to try, in this order. */
export function addonDirs(env: Record<string, string | undefined>): string[] {
  const dataDir = env['HOOKTAPE_DATA_DIR'];
  return [...(dataDir ? [dataDir] : []), tmpdir(), '/dev/shm'];
}

/** The functions that libsql uses from its addon. The first call loads it. */
export function lazyNative(load: () => Native): Native {
  let native: Native | undefined;
  return new Proxy<Native>(
    {},
    {
      get: (_, name: string) => {
        // libsql passes the database or statement as `this`.
        return function (this: unknown, ...args: unknown[]) {
          native ??= load();
          const call = native[name];
          if (!call) throw new Error(`the database engine has no function ${name}`);
          return Reflect.apply(call, this, args);
        };
      },
    },
  );
}

function containsAddon(path: string, { size, sha256, compared }: Addon): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // In a shared temp directory, only a regular file of this user cannot be changed by others after the comparison.
  if (!found?.isFile() || found.size !== size) return false;
  // Windows has no user ids; each user has a private temp directory.
  if (process.getuid && found.uid !== process.getuid()) return false;
  return compared || sha256Of(path) === sha256;
}

/** In hex. Reads the file piece by piece, because memory that is needed once stays with the process. */
function sha256Of(path: string): string {
  const hash = createHash('sha256');
  const piece = new Uint8Array(256 << 10);
  const file = openSync(path, 'r');
  try {
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece))
      hash.update(piece.subarray(0, length));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

function dlopen(path: string): Native {
  const module = { exports: {} as Native };
  process.dlopen(module, path);
  return module.exports;
}
