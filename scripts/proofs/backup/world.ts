/* One installation that backs up to a store, through all its lives: starts, losses of the whole data directory, restores. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupStatus } from '../../../src/core/backup/status.ts';
import { freePort } from '../../../src/testing/free-port.ts';
import { eventually } from '../../../src/testing/poll.ts';
import { type Api, createApi, type Endpoint, firstApi } from '../../lib/api.ts';
import { ensure } from '../../lib/checks.ts';
import { type CommandResult, type Env, type Installation, install, type Server } from '../../lib/installation.ts';
import type { Store } from './stores.ts';

export const secret = 'the secret of this proof, which is long enough';
/** A claim that its owner does not renew can be taken after 30 s; a busy machine is slower. */
const claimedWithinMs = 120_000;
const restoreWithinMs = 300_000;

export type World = {
  readonly installation: Installation;
  readonly endpoint: Endpoint;
  server: Server;
  api: Api;
  readonly prefix: string;
};

export const settingsOf = (store: Store, prefix: string, every = '2s'): Env => ({
  ...store.env(prefix),
  HOOKTAPE_SECRET: secret,
  HOOKTAPE_BACKUP_EVERY: every,
  HOOKTAPE_RATE_LIMIT: '1000000',
  HOOKTAPE_LOG_LEVEL: 'warn',
  HOOKTAPE_PRO_RETENTION: '0',
});

export async function openWorld(store: Store, prefix: string, { every = '2s', built = {} as { built?: string } } = {}) {
  const installation = install(settingsOf(store, prefix, every), [], built);
  const server = await installation.start(await freePort());
  const api = await firstApi(installation, server);
  const endpoint = await api.createEndpoint('tape');
  return { installation, server, api, endpoint, prefix } satisfies World;
}

/** The status of the backup by the command, with any exit code. */
export async function statusOf(installation: Installation): Promise<BackupStatus> {
  const { stdout, stderr } = await installation.run(['backup', 's3', 'status', '--json']);
  ensure(stdout !== '', `status says nothing: ${stderr}`);
  return JSON.parse(stdout) as BackupStatus;
}

/** Waits until the server holds the claim and everything is in the store. */
export async function untilBackedUp({ installation, server }: World): Promise<void> {
  let last = '';
  try {
    await eventually(async () => {
      const status = await statusOf(installation);
      last = JSON.stringify(status);
      return status.state === 'ok';
    }, claimedWithinMs);
  } catch {
    throw new Error(`not backed up in ${claimedWithinMs} ms: ${last}\n${server.output()}`);
  }
}

/** The server dies, and the disk with it. @returns when, by `performance.now()` */
export async function lose({ server, installation }: World): Promise<number> {
  await server.end('SIGKILL');
  const at = performance.now();
  rmSync(installation.dataDir, { recursive: true, force: true });
  return at;
}

export const restore = (
  { installation, prefix }: Pick<World, 'installation' | 'prefix'>,
  store: Store,
  { args = [], env = {} }: { args?: readonly string[]; env?: Env } = {},
): Promise<CommandResult> =>
  installation.run(['restore', `s3://${store.bucket}/${prefix}`, ...args], env, restoreWithinMs);

/** Restores into the lost directory, and starts. */
export async function resurrect(world: World, store: Store): Promise<void> {
  const { exitCode, stdout, stderr } = await restore(world, store);
  ensure(exitCode === 0, `restore exited with ${exitCode}: ${stdout}${stderr}`);
  await startAgain(world);
}

export async function startAgain(world: World): Promise<void> {
  world.server = await world.installation.start(world.server.port);
  world.api = createApi(world.server.origin, world.api.key);
}

/**
 * Restores into another directory, and starts a second server there that backs up nothing. `use` gets a client for it, with the key of
 * the first one.
 */
export async function withCopy<T>(
  world: World,
  store: Store,
  use: (api: Api) => Promise<T>,
  args: readonly string[] = [],
): Promise<T> {
  const { installation, api } = world;
  const dataDir = join(installation.dir, 'copy');
  const env = { HOOKTAPE_DATA_DIR: dataDir, HOOKTAPE_BACKUP_S3: '' };
  const { exitCode, stdout, stderr } = await restore(world, store, { env, args });
  try {
    ensure(exitCode === 0, `restore exited with ${exitCode}: ${stdout}${stderr}`);
    const server = await installation.start(await freePort(), env);
    try {
      return await use(createApi(server.origin, api.key));
    } finally {
      await server.end('SIGKILL');
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The age of the oldest change that is not in the store, in seconds. */
export async function ageOf({ server }: Pick<World, 'server'>): Promise<number> {
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  const [, age] = /^hooktape_backup_age_seconds(?:\{[^}]*\})? (\S+)$/m.exec(text) ?? [];
  ensure(age !== undefined, 'there is no hooktape_backup_age_seconds');
  return Number(age);
}

/** Everything acknowledged so far is in the store afterwards. */
export async function backUpNow({ installation, server }: World, timeoutMs = 120_000): Promise<void> {
  const { exitCode, stdout, stderr } = await installation.run(['backup', 's3', 'now'], {}, timeoutMs);
  ensure(exitCode === 0, `backup s3 now exited with ${exitCode}: ${stdout}${stderr}\n${server.output()}`);
}

/** Bytes of all files of the data directory but the program's library. */
export function bytesIn(dataDir: string): number {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
    name => !name.startsWith('.libsql-'),
  );
  return files.reduce((sum, name) => {
    const found = statSync(join(dataDir, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() ? found.size : 0);
  }, 0);
}
