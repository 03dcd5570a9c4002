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
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';

type Native = Record<string, (...args: unknown[]) => unknown>;

/**
 * Puts the addon into `dir` and returns its absolute path.
 *
 * @throws when the directory cannot be written, or holds a file of that name which is not ours byte for byte.
 */
export function extractAddon(bytes: Uint8Array, dir: string): string {
  // Absolute: the system would look a bare file name up in its library path.
  const path = resolve(dir, `.libsql-${Bun.hash(bytes).toString(16)}.node`);
  if (holdsAddon(path, bytes)) return path;
  const part = `${path}.${randomUUID()}`;
  try {
    writeDurably(part, bytes);
    try {
      // A link, unlike a rename, never replaces what another thread has mapped in the meantime.
      linkSync(part, path);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') {
        if (!holdsAddon(path, bytes)) throw new Error(`${path} is not what it should be; remove it`);
      } else renameSync(part, path);
    }
  } finally {
    rmSync(part, { force: true });
  }
  return path;
}

/** Loads the addon from the first directory that takes it and lets it be mapped. */
export function loadAddon(bytes: Uint8Array, dirs: readonly string[]): Native {
  const refusals: string[] = [];
  for (const dir of dirs) {
    try {
      return dlopen(extractAddon(bytes, dir));
    } catch (error) {
      refusals.push(`  ${dir}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new Error(`no directory can hold the database engine (writable, mounted with exec):\n${refusals.join('\n')}`);
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

function holdsAddon(path: string, bytes: Uint8Array): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // In a shared temp directory only a plain file of our own can be trusted not to change after the comparison.
  if (!found?.isFile() || found.size !== bytes.length) return false;
  // Windows has no user ids; its temp directory is each user's own.
  if (process.getuid && found.uid !== process.getuid()) return false;
  return readFileSync(path).equals(bytes);
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx', 0o700);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function dlopen(path: string): Native {
  const module = { exports: {} as Native };
  process.dlopen(module, path);
  return module.exports;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
