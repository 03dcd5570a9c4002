/* What `bun run release` needs beside Bun. It imports no package, because node_modules may not exist yet. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');

export const kinds = ['executables', 'npm', 'deb', 'brew', 'helm', 'image', 'clients'] as const;
export type Kind = (typeof kinds)[number];
export const isKind = (name: string): name is Kind => (kinds as readonly string[]).includes(name);

type Need = { program: string; debianPackage: string };
const tar: Need = { program: 'tar', debianPackage: 'tar' };
const gzip: Need = { program: 'gzip', debianPackage: 'gzip' };
const npm: Need = { program: 'npm', debianPackage: 'npm' };

const needs: Record<Kind, readonly Need[]> = {
  executables: [],
  npm: [npm],
  deb: [{ program: 'dpkg-deb', debianPackage: 'dpkg' }],
  brew: [],
  helm: [tar, gzip],
  image: [{ program: 'buildah', debianPackage: 'buildah' }, gzip],
  clients: [npm, { program: 'python3', debianPackage: 'python3-venv' }],
};

export const programsOf = (kind: Kind): string[] => needs[kind].map(({ program }) => program);

/**
 * Installs the packages of node_modules for all systems, if they are missing.
 * @returns whether it installed something
 * @throws with the names of all missing programs, before anything is built
 */
export function prepare(chosen: readonly Kind[]): boolean {
  const missing = new Map(
    chosen
      .flatMap(kind => needs[kind])
      .flatMap(need => (Bun.which(need.program) ? [] : [[need.program, need] as const])),
  );
  // Debian has Python without the module that makes environments.
  if (chosen.includes('clients') && !missing.has('python3') && !hasVenv())
    missing.set('python3', { program: 'python3 -m venv', debianPackage: 'python3-venv' });
  if (missing.size > 0) {
    const found = [...missing.values()];
    const names = found.map(({ program }) => program).join(', ');
    throw new Error(
      `missing: ${names}\ninstall them, on Debian with: apt-get install ${found.map(need => need.debianPackage).join(' ')}`,
    );
  }
  return installPackages();
}

const hasVenv = (): boolean =>
  Bun.spawnSync(['python3', '-c', 'import ensurepip'], { stderr: 'ignore' }).exitCode === 0;

function installPackages(): boolean {
  // Only an installation for all systems has this one on Linux.
  const foreign = process.platform === 'darwin' ? '@libsql/linux-x64-gnu' : '@libsql/darwin-arm64';
  if (existsSync(join(root, 'node_modules', foreign, 'index.node'))) return false;
  console.log("bun install --frozen-lockfile --os='*' --cpu='*'");
  const { exitCode } = Bun.spawnSync([process.execPath, 'install', '--frozen-lockfile', '--os=*', '--cpu=*'], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  });
  if (exitCode !== 0) throw new Error(`bun install exited with ${exitCode}`);
  return true;
}
