/* The Helm chart as an archive. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../lib/about.ts';
import { emptyReleaseDir, inFolder, type Made, packagingDir, run, sourceTime } from './files.ts';

export const makeChart = (): Promise<Made[]> =>
  inFolder(async folder => {
    cpSync(join(packagingDir, 'helm/hooktape'), join(folder, 'hooktape'), { recursive: true });
    const { dir, made } = emptyReleaseDir('helm');
    // Not the name of the npm package, because all files of a release are in one place.
    const file = `hooktape-chart-${version}.tgz`;
    const sameEverywhere = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
    const args = [...sameEverywhere, `--mtime=@${sourceTime()}`, '--use-compress-program=gzip -n'];
    run(['tar', ...args, '-cf', join(dir, file), '-C', folder, 'hooktape']);
    return [made(file)];
  });
