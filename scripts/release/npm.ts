/*
 * The npm package `hooktape`, and an optional package with the executable of each target. npm installs the package that fits the system;
 * no install script runs.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { description, homepage, license, maintainers, serverName, version } from '../lib/about.ts';
import { repositoryRoot } from '../lib/executable.ts';
import { addonPackages, isTarget, type Target } from '../lib/native-plugin.ts';
import { emptyReleaseDir, executableOf, inFolder, type Made, packagingDir, place, platformOf, run } from './files.ts';

/** npm cannot detect processors without AVX2, so there is no package with the variant for these. */
const npmTargets: readonly Target[] = Object.keys(addonPackages)
  .filter(isTarget)
  .filter(target => target !== 'bun-linux-x64-baseline');

const common = {
  version,
  license,
  author: maintainers,
  homepage,
  repository: { type: 'git', url: `git+${homepage}.git` },
};

/** npm's names of systems. */
const npmPlatform = (target: Target): string => platformOf(target).replace('windows', 'win32');
const packageName = (target: Target): string => `@hooktape/${npmPlatform(target)}`;

function writePackage(folder: string, about: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  place(join(repositoryRoot, 'LICENSE'), join(folder, 'LICENSE'));
}

type Output = ReturnType<typeof emptyReleaseDir>;

function pack(folder: string, { dir, made }: Output): Made {
  const [packed] = JSON.parse(run(['npm', 'pack', '--json', '--pack-destination', dir, folder])) as {
    filename: string;
  }[];
  if (!packed) throw new Error('npm pack made no file');
  return made(packed.filename);
}

const makePlatformPackage = (target: Target, output: Output): Promise<Made> =>
  inFolder(async folder => {
    const executable = await executableOf(target);
    const [os, cpu, libc] = npmPlatform(target).split('-');
    const file = `bin/hooktape${os === 'win32' ? '.exe' : ''}`;
    writePackage(folder, {
      name: packageName(target),
      description: `Hooktape for ${npmPlatform(target)}`,
      ...common,
      os: [os],
      cpu: [cpu],
      ...(os === 'linux' ? { libc: [libc === 'musl' ? 'musl' : 'glibc'] } : {}),
      preferUnplugged: true,
      files: ['bin'],
    });
    place(executable, join(folder, file));
    chmodSync(join(folder, file), 0o755);
    return pack(folder, output);
  });

const makeMainPackage = (output: Output): Promise<Made> =>
  inFolder(async folder => {
    writePackage(folder, {
      name: 'hooktape',
      description,
      ...common,
      mcpName: serverName,
      engines: { node: '>=18' },
      bin: { hooktape: 'bin/hooktape.js' },
      files: ['bin'],
      optionalDependencies: Object.fromEntries(npmTargets.map(target => [packageName(target), version])),
    });
    place(join(packagingDir, 'npm/README.md'), join(folder, 'README.md'));
    place(join(packagingDir, 'npm/hooktape.js'), join(folder, 'bin/hooktape.js'));
    return pack(folder, output);
  });

export async function makeNpmPackages(targets: readonly Target[]): Promise<Made[]> {
  const output = emptyReleaseDir('npm');
  const files: Made[] = [];
  for (const target of targets) if (npmTargets.includes(target)) files.push(await makePlatformPackage(target, output));
  return [...files, await makeMainPackage(output)];
}
