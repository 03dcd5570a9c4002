/* The container image as an OCI archive, built from the Dockerfile by buildah, which needs no daemon. */
import { join } from 'node:path';
import { version } from '../lib/about.ts';
import { commit, repositoryRoot } from '../lib/executable.ts';
import { emptyReleaseDir, type Made, run } from './files.ts';

/** BUILD_IMAGE and BASE_IMAGE in the environment choose other base images, as in the Dockerfile. */
export async function makeImage(): Promise<Made[]> {
  const file = `hooktape-${version}.oci.tar`;
  const tag = `localhost/hooktape:${version}`;
  const bases = ['BUILD_IMAGE', 'BASE_IMAGE'].flatMap(name => {
    const value = process.env[name];
    return value ? ['--build-arg', `${name}=${value}`] : [];
  });
  run(['buildah', 'build', ...bases, '--build-arg', `HOOKTAPE_COMMIT=${commit()}`, '--tag', tag, repositoryRoot]);
  const { dir, made } = emptyReleaseDir('image');
  run(['buildah', 'push', tag, `oci-archive:${join(dir, file)}:${version}`]);
  return [made(file)];
}
