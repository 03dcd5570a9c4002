/*
 * The packages of the client libraries: `@hooktape/client` and `@hooktape/testcontainers` for npm, and a wheel and a source archive of
 * `hooktape` for PyPI, whose build tools pip installs in an environment of their own.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../lib/executable.ts';
import { emptyReleaseDir, inFolder, type Made, run, sourceTime } from './files.ts';

export const clientsDir = join(repositoryRoot, 'clients');
const pythonBuild = 'build==1.6.1';

export const makeClients = (): Promise<Made[]> =>
  inFolder(async folder => {
    const output = emptyReleaseDir('clients');
    // The second is compiled against the declarations of the first.
    for (const name of ['typescript', 'testcontainers']) {
      compile(name, folder);
      for (const file of ['package.json', 'README.md', 'LICENSE'])
        copyFileSync(join(clientsDir, name, file), join(folder, name, file));
      run(['npm', 'pack', '--pack-destination', output.dir, join(folder, name)]);
    }
    buildPython(folder, output.dir);
    return readdirSync(output.dir).map(output.made);
  });

/** Writes JavaScript and declarations to `FOLDER/NAME/dist`. */
function compile(name: string, folder: string): void {
  const source = join(clientsDir, name, 'src');
  mkdirSync(join(folder, name), { recursive: true });
  const config = join(folder, name, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rootDir: source,
    outDir: join(folder, name, 'dist'),
    paths: { '@hooktape/client': [join(folder, 'typescript/dist/hooktape.d.ts')] },
    typeRoots: [join(repositoryRoot, 'node_modules/@types')],
  };
  const about = { extends: join(clientsDir, name, 'tsconfig.json'), compilerOptions, include: [source] };
  writeFileSync(config, JSON.stringify(about));
  run([join(repositoryRoot, 'node_modules/.bin/tsc'), '-p', config]);
}

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
