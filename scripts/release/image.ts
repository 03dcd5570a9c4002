/*
 * The container image, as an archive for `docker load` and `podman load`, which give it the name that all documented files use. It has the
 * last stage of the Dockerfile, in which no command runs: so an image for another machine type needs no emulator. buildah needs no daemon.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { image, version } from '../lib/about.ts';
import { commit, repositoryRoot } from '../lib/executable.ts';
import type { Target } from '../lib/native-plugin.ts';
import { emptyReleaseDir, executableOf, inFolder, type Made, place, run, sourceTime } from './files.ts';

/** The names of machine types in images. */
const architectures: Partial<Record<Target, string>> = { 'bun-linux-x64': 'amd64', 'bun-linux-arm64': 'arm64' };

/** The last stage of the Dockerfile, with files of the build context in place of files of the first stage. */
export function lastStage(dockerfile: string): string {
  const [args = '', ...stages] = dockerfile.split(/^(?=FROM )/m);
  return args + (stages.at(-1) ?? '').replaceAll('--from=build ', '').replaceAll(' /out/', ' ');
}

type Output = ReturnType<typeof emptyReleaseDir>;

const makeFor = (target: Target, architecture: string, { dir, made }: Output): Promise<Made> =>
  inFolder(async folder => {
    const file = `hooktape-image-${version}-${architecture}.tar`;
    place(await executableOf(target), join(folder, 'hooktape'));
    chmodSync(join(folder, 'hooktape'), 0o755);
    mkdirSync(join(folder, 'data'));
    const dockerfile = lastStage(readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8'));
    writeFileSync(join(folder, 'Dockerfile'), dockerfile);
    // Images of the other format have no health check.
    const options = ['--format', 'docker', '--platform', `linux/${architecture}`, '--timestamp', sourceTime()];
    // As in the Dockerfile, for instance a mirror.
    const base = process.env['BASE_IMAGE'];
    if (base) options.push('--build-arg', `BASE_IMAGE=${base}`);
    const name = `${image}:${version}`;
    run(['buildah', 'build', ...options, '--build-arg', `HOOKTAPE_COMMIT=${commit()}`, '--tag', name, folder]);
    rmSync(join(dir, `${file}.gz`), { force: true });
    run(['buildah', 'push', name, `docker-archive:${join(dir, file)}:${name}`]);
    run(['gzip', '-n', join(dir, file)]);
    return made(`${file}.gz`);
  });

export async function makeImages(targets: readonly Target[]): Promise<Made[]> {
  const output = emptyReleaseDir('image');
  const files: Made[] = [];
  for (const target of targets) {
    const architecture = architectures[target];
    if (architecture) files.push(await makeFor(target, architecture, output));
  }
  if (files.length === 0) throw new Error(`there is an image for ${Object.values(architectures).join(' and ')} only`);
  return files;
}
