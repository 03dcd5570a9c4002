/* Where foreign programs are installed and run: `.test-clients/` of this checkout, kept from run to run, in no commit. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../../.test-clients');

export function workspace(name: string): string {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true });
  return dir;
}

/** @throws when one of the programs is not installed; says what is to be installed then */
export function requirePrograms(...programs: { name: string; packageName: string }[]): void {
  const missing = programs.filter(({ name }) => !Bun.which(name));
  if (missing.length === 0) return;
  const packages = missing.map(({ packageName }) => packageName).join(' ');
  throw new Error(`${missing.map(({ name }) => name).join(' and ')} not found; install: apt-get install ${packages}`);
}

/** Runs a program to its end. @returns what it printed @throws with its output when it fails or takes too long */
export async function run(
  command: string[],
  { cwd, env = {}, minutes = 10 }: { cwd: string; env?: Record<string, string>; minutes?: number },
): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: minutes * 60_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: exit code ${exitCode}\n${(stdout + stderr).slice(-4000)}`);
  return stdout;
}

const npmPackages = ['@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0', 'eventsource@4.1.1'];

/** The npm packages of the linters and of the node clients, installed once. @returns their directory */
export async function npmWorkspace(): Promise<string> {
  requirePrograms({ name: 'node', packageName: 'nodejs' }, { name: 'npm', packageName: 'npm' });
  const dir = workspace('npm');
  await Bun.write(join(dir, 'package.json'), '{ "private": true }\n');
  await run(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...npmPackages], {
    cwd: dir,
  });
  return dir;
}
