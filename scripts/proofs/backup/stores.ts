/* Object stores of other projects, each with its own loopback port and directory: versitygw, and moto's server. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/testing/free-port.ts';
import { openStoreProxy } from '../../../src/testing/object-store/store-proxy.ts';
import { eventually } from '../../../src/testing/poll.ts';
import type { Env } from '../../lib/installation.ts';

export const storeNames = ['versitygw', 'moto'] as const;
export type StoreName = (typeof storeNames)[number];

/** A store behind a proxy that can misbehave; clients use the proxy. */
export type Store = Awaited<ReturnType<typeof startStore>>;

const keys = { accessKeyId: 'proof', secretAccessKey: 'the secret key of this proof' };
const bucket = 'tapes';

const programs: Record<StoreName, (port: number, directory: string) => string[]> = {
  versitygw: (port, directory) => [
    'versitygw',
    '--access',
    keys.accessKeyId,
    '--secret',
    keys.secretAccessKey,
    '--port',
    `127.0.0.1:${port}`,
    'posix',
    directory,
  ],
  moto: port => ['moto_server', '-H', '127.0.0.1', '-p', String(port)],
};

const programOf = (name: StoreName): string => programs[name](0, '')[0] ?? '';

/** Where a missing program comes from; undefined if it is installed. */
export const missingProgram = (name: StoreName): string | undefined => {
  if (Bun.which(programOf(name))) return undefined;
  return name === 'moto'
    ? "moto_server is not in PATH: pip install 'moto[server]==5.2.5'"
    : 'versitygw is not in PATH: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0';
};

export async function startStore(name: StoreName) {
  const directory = mkdtempSync(join(tmpdir(), `hooktape-${name}-`));
  const port = await freePort();
  // A bucket of versitygw is a directory.
  mkdirSync(join(directory, bucket));
  const child = Bun.spawn(programs[name](port, directory), { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    return await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
  }, 30_000);
  if (name === 'moto') await fetch(`http://127.0.0.1:${port}/${bucket}`, { method: 'PUT' });
  const proxy = await openStoreProxy(port);
  return {
    name,
    proxy,
    settings: { endpoint: proxy.endpoint, region: 'us-east-1', ...keys },
    bucket,
    /** Settings of a server or a command. */
    env: (prefix: string): Env => ({
      HOOKTAPE_BACKUP_S3: `s3://${bucket}/${prefix}`,
      HOOKTAPE_S3_ENDPOINT: proxy.endpoint,
      HOOKTAPE_S3_ACCESS_KEY_ID: keys.accessKeyId,
      HOOKTAPE_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    }),
    remove: async () => {
      await proxy.close();
      child.kill('SIGKILL');
      await child.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
