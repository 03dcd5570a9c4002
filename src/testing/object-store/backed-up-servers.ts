/* Servers that back up to a store in memory, and what a restore brings back. */
import { afterEach, beforeEach } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBackupNames } from '../../core/backup/names.ts';
import { hooktape } from '../command.ts';
import { openTestServer, type TestAccount, type TestServer, type TestServerOptions } from '../test-server.ts';
import { openMemoryStore } from './memory-store.ts';
import { s3Env } from './written-backup.ts';

export const secret = 'the secret of these tests, long enough';
export const names = createBackupNames(secret);

let root: string;
export let store: Awaited<ReturnType<typeof openMemoryStore>>;
let open: TestServer[];
/** Opens the store before each test of the file, and ends everything after it. */
export function useBackedUpServers(): void {
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    store = await openMemoryStore();
    open = [];
  });
  afterEach(async () => {
    store.setFault(() => undefined);
    for (const server of open.splice(0)) await server.close();
    await store.close();
    rmSync(root, { recursive: true, force: true });
  });
}

/** Replaces the store by another empty one. */
export async function useStoreWith(options: Parameters<typeof openMemoryStore>[0]): Promise<void> {
  await store.close();
  store = await openMemoryStore(options);
}

export const at = (name: string): string => join(root, name);
export const env = (name: string): Record<string, string> => ({
  HOOKTAPE_DATA_DIR: at(name),
  HOOKTAPE_DATABASE_URL: `file:${at(name)}/hooktape.db`,
  HOOKTAPE_SECRET: secret,
  ...s3Env(store),
});

export async function start(name: string, options: TestServerOptions & { env?: Record<string, string> } = {}) {
  mkdirSync(at(name), { recursive: true });
  const server = await openTestServer({
    ...options,
    directory: at(name),
    env: { ...env(name), HOOKTAPE_BACKUP_S3: 's3://tapes/one', HOOKTAPE_BACKUP_EVERY: '1s', ...options.env },
    overrides: { backupLimits: { firstRetryMs: 20, maxRetryMs: 100, ...options.overrides?.backupLimits } },
  });
  open.push(server);
  return server;
}
export async function stop(server: TestServer): Promise<void> {
  open = open.filter(one => one !== server);
  await server.close();
}

export const service = (server: TestServer) => server.services.backup.configured();
export const now = async (server: TestServer) => (await service(server)).now();
export const status = async (server: TestServer) => (await service(server)).status();

export async function endpointOf(server: TestServer): Promise<{ account: TestAccount; url: string; id: string }> {
  const account = await server.createAccount();
  return { account, ...(await account.createEndpoint()) };
}

/** Restores, and opens the result as a server that does not back up. @returns the bodies of all its events */
export async function restored(...args: string[]): Promise<string[] | string> {
  const name = `restored-${Math.random()}`;
  const { exitCode, stderr } = await hooktape(env(name), 'restore', 's3://tapes/one', ...args);
  if (exitCode !== 0) return stderr;
  const server = await openTestServer({ directory: at(name), env: env(name) });
  const bodies: string[] = [];
  const { rows } = await server.services.database.client.execute('SELECT id FROM endpoints');
  const { key } = await server.services.keys.create(
    (await server.services.account.byEmail('owner@example.com')).id,
    'restored',
  );
  const headers = { authorization: `Bearer ${key}` };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/api/events?endpointId=${rows[0]?.[0]}&limit=100${cursor && `&cursor=${cursor}`}`;
    const page = (await (await server.fetch(path, { headers })).json()) as {
      events: { id: string }[];
      nextCursor: string | null;
    };
    for (const { id } of page.events)
      bodies.push(await (await server.fetch(`/api/events/${id}/raw`, { headers })).text());
    cursor = page.nextCursor;
  }
  await server.close();
  return bodies.reverse();
}

export const keysOf = (kind: 'log' | 'index'): string[] =>
  [...store.objects.keys()]
    .flatMap(key => ({ key, place: names.read(key.replace('one/', '')) }))
    .filter(({ place }) => place?.kind === kind)
    .sort((a, b) => (a.place?.seq ?? 0) - (b.place?.seq ?? 0))
    .map(({ key }) => key);
export const logs = (): string[] => keysOf('log');

/** Damages the head of an object. */
export function flip(key: string): void {
  const kept = store.objects.get(key);
  if (!kept) throw new Error(`there is no ${key}`);
  const bytes = Buffer.from(kept.bytes);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  store.objects.set(key, { ...kept, bytes });
}
