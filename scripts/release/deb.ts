/* A Debian package for each target with glibc: the executable, the systemd service (not started), its settings, completions. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianVersion, description, homepage, maintainers } from '../lib/about.ts';
import { hostTarget, repositoryRoot } from '../lib/executable.ts';
import type { Target } from '../lib/native-plugin.ts';
import { emptyReleaseDir, executableOf, inFolder, type Made, packagingDir, place, run, sourceTime } from './files.ts';

/** Debian's names of machine types. */
const architectures: Partial<Record<Target, string>> = { 'bun-linux-x64': 'amd64', 'bun-linux-arm64': 'arm64' };

/** The paths where shells look for the completions of installed programs. */
const completions = {
  bash: 'usr/share/bash-completion/completions/hooktape',
  zsh: 'usr/share/zsh/vendor-completions/_hooktape',
  fish: 'usr/share/fish/vendor_completions.d/hooktape.fish',
} as const;

const control = (architecture: string, kibibytes: number): string => `Package: hooktape
Version: ${debianVersion}
Architecture: ${architecture}
Maintainer: ${maintainers}
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.18), libgcc-s1, passwd
Section: net
Priority: optional
Homepage: ${homepage}
Description: self-hosted webhook recorder
 ${description.replace(/(.{1,76})(\s|$)/g, '$1\n ').trimEnd()}
`;

/**
 * @param writer the executable of this machine, which prints the completions
 * @returns the folder's size in KiB
 */
function fill(folder: string, executable: string, writer: string): number {
  const at = (path: string): string => join(folder, path);
  const add = (from: string, to: string, mode = 0o644): void => {
    place(from, at(to));
    chmodSync(at(to), mode);
  };
  add(executable, 'usr/bin/hooktape', 0o755);
  add(join(packagingDir, 'deb/hooktape.service'), 'usr/lib/systemd/system/hooktape.service');
  // postinst gives it to the service's group.
  add(join(packagingDir, 'deb/service.env'), 'etc/hooktape/hooktape.env', 0o640);
  add(join(repositoryRoot, '.env.example'), 'usr/share/doc/hooktape/env.example');
  add(join(repositoryRoot, 'LICENSE'), 'usr/share/doc/hooktape/copyright');
  for (const [shell, path] of Object.entries(completions)) {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), run([writer, 'completion', shell]), { mode: 0o644 });
  }
  return Number(run(['du', '-sk', '--apparent-size', folder]).split('\t')[0]);
}

const makeFor = (
  target: Target,
  architecture: string,
  { dir, made }: ReturnType<typeof emptyReleaseDir>,
): Promise<Made> =>
  inFolder(async folder => {
    const executable = await executableOf(target);
    const kibibytes = fill(folder, executable, await executableOf(hostTarget()));
    mkdirSync(join(folder, 'DEBIAN'));
    writeFileSync(join(folder, 'DEBIAN/control'), control(architecture, kibibytes));
    writeFileSync(join(folder, 'DEBIAN/conffiles'), '/etc/hooktape/hooktape.env\n');
    for (const script of ['postinst', 'prerm', 'postrm']) {
      place(join(packagingDir, 'deb', script), join(folder, 'DEBIAN', script));
      chmodSync(join(folder, 'DEBIAN', script), 0o755);
    }
    const file = `hooktape_${debianVersion}_${architecture}.deb`;
    chmodSync(folder, 0o755);
    // Uses gzip, which every version of dpkg can read.
    run(['dpkg-deb', '--root-owner-group', '-Zgzip', '--build', folder, join(dir, file)], {
      env: { SOURCE_DATE_EPOCH: sourceTime() },
    });
    return made(file);
  });

export async function makeDeb(targets: readonly Target[]): Promise<Made[]> {
  const output = emptyReleaseDir('deb');
  const files: Made[] = [];
  for (const target of targets) {
    const architecture = architectures[target];
    if (architecture) files.push(await makeFor(target, architecture, output));
  }
  if (files.length === 0)
    throw new Error(`there is a Debian package for ${Object.keys(architectures).join(' and ')} only`);
  return files;
}
