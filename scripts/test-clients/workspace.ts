/* Installs and runs the clients in `.test-clients/` of this checkout, which git ignores and which is kept between runs. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../../.test-clients');

export function workspace(name: string): string {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true });
  return dir;
}

/** @throws when a program is not installed, with the packages to install */
export function requirePrograms(...programs: { name: string; packageName: string }[]): void {
  const missing = programs.filter(({ name }) => !Bun.which(name));
  if (missing.length === 0) return;
  const packages = missing.map(({ packageName }) => packageName).join(' ');
  throw new Error(`${missing.map(({ name }) => name).join(' and ')} not found; install: apt-get install ${packages}`);
}

/** Runs a program. @returns its standard output @throws with its output when it fails or takes too long */
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

const npmPackages = ['@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0', 'eventsource@4.1.1', 'typescript@7.0.2'];

/** Installs the npm packages of the linters and node clients. @returns their directory */
export async function npmWorkspace(): Promise<string> {
  requirePrograms({ name: 'node', packageName: 'nodejs' }, { name: 'npm', packageName: 'npm' });
  const dir = workspace('npm');
  await Bun.write(join(dir, 'package.json'), '{ "private": true }\n');
  await run(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...npmPackages], {
    cwd: dir,
  });
  return dir;
}
