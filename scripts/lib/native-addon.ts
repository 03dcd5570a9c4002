/*
 * Runs inside the compiled binary in place of libsql's own addon lookup (see native-plugin.ts). The addon travels in the
 * executable, but the system can only map it from a real file: it is written once to the first directory that allows
 * execution, the data directory before all others, and an identical file is used again. Threads must share one file: two
 * mapped copies of SQLite in one process would break each other's file locks.
 *
 * Loading waits for the first call, so importing libsql costs nothing and the entry file only has to set
 * `process.env.HOOKTAPE_DATA_DIR` before a database is opened, and to hand its environment to the Workers.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';

type Native = Record<string, (...args: unknown[]) => unknown>;

export type Addon = {
  /** Of the file; another addon has another name. */
  name: string;
  size: number;
  /** Some ten megabytes, so only when they are needed. */
  read: () => Uint8Array;
  /** Whether the process has already compared the file: its other threads map what the first one did. */
  compared: boolean;
};

/**
 * Puts the addon into `dir` and returns its absolute path. What is not ours byte for byte is replaced, never mapped; so
 * nothing has to wait for the disk here, and a file that a power failure cut short costs one more write.
 *
 * @throws when the directory cannot be written, or somebody else's file is in the way.
 */
export function extractAddon(addon: Addon, dir: string): string {
  // Absolute: the system would look a bare file name up in its library path.
  const path = resolve(dir, addon.name);
  if (holdsAddon(path, addon)) return path;
  const part = `${path}.${randomUUID()}`;
  try {
    writeFileSync(part, addon.read(), { flag: 'wx', mode: 0o700 });
    try {
      // A link, unlike a rename, never replaces what another thread has mapped in the meantime.
      linkSync(part, path);
    } catch {
      if (!holdsAddon(path, addon)) renameSync(part, path);
    }
  } finally {
    rmSync(part, { force: true });
  }
  return path;
}

/** Loads the addon from the first directory that takes it and lets it be mapped. */
export function loadAddon(addon: Addon, dirs: readonly string[]): Native {
  const refusals: string[] = [];
  for (const dir of dirs) {
    try {
      return dlopen(extractAddon(addon, dir));
    } catch (error) {
      refusals.push(`  ${dir}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const words = `no directory can hold the database engine (writable, mounted with exec):\n${refusals.join('\n')}`;
  // With a code it is told as it is, without a stack.
  throw Object.assign(new Error(`${words}\nMount one of them so, or set HOOKTAPE_DATA_DIR to a directory that is.`), {
    code: 'ERR_DLOPEN_FAILED',
  });
}

/** Where to look for room, best first. */
export function addonDirs(env: Record<string, string | undefined>): string[] {
  const dataDir = env['HOOKTAPE_DATA_DIR'];
  return [...(dataDir ? [dataDir] : []), tmpdir(), '/dev/shm'];
}

/** The functions libsql takes from its addon, each loading it when first called. */
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

function holdsAddon(path: string, { size, read, compared }: Addon): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // In a shared temp directory only a plain file of our own can be trusted not to change after the comparison.
  if (!found?.isFile() || found.size !== size) return false;
  // Windows has no user ids; its temp directory is each user's own.
  if (process.getuid && found.uid !== process.getuid()) return false;
  return compared || readFileSync(path).equals(read());
}

function dlopen(path: string): Native {
  const module = { exports: {} as Native };
  process.dlopen(module, path);
  return module.exports;
}
