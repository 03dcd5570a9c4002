/*
 * The packages of the client libraries: `@hooktape/client` and `@hooktape/testcontainers` for npm, and a wheel and a source archive of
 * `hooktape` for PyPI, whose build tools pip installs in a separate environment.
 */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../lib/executable.ts';
import { emptyReleaseDir, inFolder, type Made, run, sourceTime } from './files.ts';

export const clientsDir = join(repositoryRoot, 'clients');
const pythonBuild = 'build==1.6.1';

export const makeClients = (): Promise<Made[]> =>
  inFolder(async folder => {
    const output = emptyReleaseDir('clients');
    for (const name of ['typescript', 'testcontainers']) {
      rmSync(join(clientsDir, name, 'dist'), { recursive: true, force: true });
      // Compiles it first, with the compiler of this repository.
      run(['npm', 'pack', '--pack-destination', output.dir], { cwd: join(clientsDir, name) });
    }
    buildPython(folder, output.dir);
    return readdirSync(output.dir).map(output.made);
  });

function buildPython(folder: string, outputDir: string): void {
  const source = join(folder, 'python');
  for (const file of ['pyproject.toml', 'README.md', 'LICENSE', 'src'])
    cpSync(join(clientsDir, 'python', file), join(source, file), {
      recursive: true,
      filter: path => !path.includes('__pycache__') && !path.includes('.mypy_cache'),
    });
  const environment = join(folder, 'environment');
  run(['python3', '-m', 'venv', environment]);
  const python = join(environment, 'bin/python');
  if (!existsSync(python)) throw new Error('python3 -m venv made no Python; install: apt-get install python3-venv');
  run([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', pythonBuild]);
  run([python, '-m', 'build', '--outdir', outputDir, source], { env: { SOURCE_DATE_EPOCH: sourceTime() } });
}
