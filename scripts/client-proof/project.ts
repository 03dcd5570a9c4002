/* A running server, the packs, and empty projects in which they are installed. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { type Installation, install, type Server } from '../lib/installation.ts';
import { makeClients } from '../release/clients.ts';
import { releaseDir } from '../release/files.ts';
import { requirePrograms, run } from '../test-clients/workspace.ts';

export type Proof = {
  installation: Installation;
  server: Server;
  key: string;
  /** Answers every request with its body. */
  destination: string;
  /**
   * A project with the packs and these packages installed by npm, and the scripts of this folder. Every call returns the same
   * project.
   */
  npmProject: () => Promise<string>;
  /** The Python of an environment with the wheel installed. */
  python: () => Promise<string>;
  /** Kills the server and starts it again. */
  restart: () => Promise<void>;
  close: () => Promise<void>;
};

const owner = 'owner@example.com';
const npmPackages = ['typescript@5.9.3', '@types/node@22.19.1', 'deno@2.9.6'];

/** Version 12 needs Node 22.22; version 11 works with older versions. */
const testcontainers = async (): Promise<string> => {
  const node = await run(['node', '--version'], { cwd: tmpdir() });
  return Bun.semver.satisfies(node.trim(), '>=22.22') ? 'testcontainers@12.2.0' : 'testcontainers@11.14.0';
};

export async function openProof(): Promise<Proof> {
  requirePrograms({ name: 'node', packageName: 'nodejs' }, { name: 'npm', packageName: 'npm' });
  requirePrograms({ name: 'python3', packageName: 'python3-venv' });
  await makeClients();
  const packs = readdirSync(join(releaseDir, 'clients')).map(file => join(releaseDir, 'clients', file));
  const root = mkdtempSync(join(tmpdir(), 'hooktape-client-proof-'));
  const installation = install({
    HOOKTAPE_OWNER_EMAIL: owner,
    HOOKTAPE_OWNER_PASSWORD: 'a quiet river at noon',
    HOOKTAPE_RATE_LIMIT: '100000',
  });
  const echo = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => new Response(await request.text()),
  });
  let server = await installation.start(await freePort());
  const key = await installation.command(['key', 'create', 'proof', '--account', owner]);

  const makeNpmProject = async (): Promise<string> => {
    const dir = join(root, 'npm');
    mkdirSync(dir);
    await Bun.write(join(dir, 'package.json'), '{ "private": true, "type": "module" }\n');
    const tarballs = packs.filter(file => file.endsWith('.tgz'));
    await run(
      [
        'npm',
        'install',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
        ...tarballs,
        ...npmPackages,
        await testcontainers(),
      ],
      {
        cwd: dir,
      },
    );
    for (const file of ['shop.mjs', 'read-feed.mjs', 'container.mjs', 'types.ts'])
      copyFileSync(join(import.meta.dir, file), join(dir, file));
    return dir;
  };
  const makePython = async (): Promise<string> => {
    const dir = join(root, 'python');
    await run(['python3', '-m', 'venv', dir], { cwd: root });
    const python = join(dir, 'bin/python');
    const wheel = packs.filter(file => file.endsWith('.whl'));
    await run([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wheel], {
      cwd: root,
    });
    return python;
  };
  let npmProject: Promise<string> | undefined;
  let python: Promise<string> | undefined;

  return {
    installation,
    get server() {
      return server;
    },
    key,
    destination: `http://127.0.0.1:${echo.port}/`,
    npmProject: () => {
      npmProject ??= makeNpmProject();
      return npmProject;
    },
    python: () => {
      python ??= makePython();
      return python;
    },
    restart: async () => {
      await server.end('SIGKILL');
      server = await installation.start(server.port);
    },
    close: async () => {
      await echo.stop(true);
      await installation.remove();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
