/* Shared by the package builders: facts about the release, executables, folders to pack, and reproducible archives. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable, hostTarget, repositoryRoot } from '../lib/executable.ts';
import type { Target } from '../lib/native-plugin.ts';

export const releaseDir = join(repositoryRoot, 'dist/release');
export const packagingDir = join(repositoryRoot, 'packaging');

/** A created file: its path below `dist/release`. */
export type Made = { file: string; bytes: number };

/** The folder below `dist/release` for one kind of package, emptied. */
export function emptyReleaseDir(kind: string): { dir: string; made: (file: string) => Made } {
  const dir = join(releaseDir, kind);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return { dir, made: file => ({ file: join(kind, file), bytes: statSync(join(dir, file)).size }) };
}

/** The target without its prefix: `linux-x64`. */
export const platformOf = (target: Target): string => target.replace('bun-', '');

const built = new Map<Target, Promise<string>>();

/** Builds the executable of this target, once. @returns its path */
export function executableOf(target: Target): Promise<string> {
  const suffix = target.startsWith('bun-windows') ? '.exe' : '';
  const outfile = join(repositoryRoot, `dist/hooktape-${platformOf(target)}${suffix}`);
  const building = async (): Promise<string> => {
    // Only a build without a target has bytecode, which starts three times faster.
    await buildExecutable({ outfile, ...(target === hostTarget() ? {} : { target }) });
    return outfile;
  };
  const path = built.get(target) ?? building();
  built.set(target, path);
  return path;
}

/** Calls `fill` with an empty folder, which is removed afterwards. */
export async function inFolder<T>(fill: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'hooktape-release-'));
  try {
    return await fill(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a file, and creates the folders that it needs. */
export function place(from: string, to: string): void {
  mkdirSync(join(to, '..'), { recursive: true });
  cpSync(from, to);
}

/** @throws with the program's output if it fails or is not installed */
export function run(command: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}): string {
  const [program = ''] = command;
  if (!Bun.which(program)) throw new Error(`${program} is not installed`);
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    ...options,
    env: { ...process.env, ...options.env },
  });
  if (exitCode !== 0) throw new Error(`${command.join(' ')} exited with ${exitCode}: ${stderr.toString().trim()}`);
  return stdout.toString();
}

/** Seconds since 1970: the time of the commit, so that packages of one commit are identical on every machine. */
export function sourceTime(): string {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given) return given;
  const git = Bun.spawnSync(['git', 'log', '-1', '--format=%ct'], { cwd: repositoryRoot, stderr: 'ignore' });
  return git.exitCode === 0 ? git.stdout.toString().trim() : '0';
}
