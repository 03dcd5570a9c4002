/* A server that backs up to a store in memory, and another machine that restores. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, startServer } from '../../testing/command.ts';
import { openMemoryStore } from '../../testing/object-store/memory-store.ts';
import { s3Env } from '../../testing/object-store/written-backup.ts';
import { eventually } from '../../testing/poll.ts';

let directory: string;
let store: Awaited<ReturnType<typeof openMemoryStore>>;
let settings: Record<string, string>;
let env: Record<string, string>;
let server: Awaited<ReturnType<typeof startServer>>;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  store = await openMemoryStore();
  settings = { HOOKTAPE_SECRET: 'the secret of these tests, long enough', ...s3Env(store), TMPDIR: directory };
  env = {
    ...settings,
    HOOKTAPE_DATA_DIR: join(directory, 'data'),
    HOOKTAPE_BACKUP_S3: 's3://tapes/one',
    HOOKTAPE_BACKUP_EVERY: '1s',
  };
  server = await startServer(env);
});
afterEach(async () => {
  await server.stop();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function run(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await hooktape(environment, ...args);
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${stdout}${stderr}`);
  return stdout.trim();
}

async function openInbox() {
  await run(env, 'account', 'create', 'owner@example.com');
  const key = await run(env, 'key', 'create', 'test', '--account', 'owner@example.com');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const created = await fetch(`${server.origin}/api/endpoints`, { method: 'POST', headers, body: '{"name":"tape"}' });
  const { url } = (await created.json()) as { url: string };
  const address = `${server.origin}${new URL(url).pathname}`;
  const deliver = async (body: Uint8Array<ArrayBuffer>): Promise<string> => {
    const response = await fetch(address, { method: 'POST', body });
    return ((await response.json()) as { id: string }).id;
  };
  return { key, deliver };
}

test('everything acknowledged before `now` comes back elsewhere, byte for byte', async () => {
  const { key, deliver } = await openInbox();
  const sent = new Map<string, Uint8Array>();
  for (let size = 0; size < 200_000; size += 20_000) {
    const body = crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)));
    sent.set(await deliver(body), body);
  }
  const status = { state: 'ok', store: 's3://tapes/one', ageS: 0, pendingBytes: 0, problem: null };
  expect(JSON.parse(await run(env, 'backup', 's3', 'now', '--json'))).toMatchObject(status);
  expect(JSON.parse(await run(env, 'backup', 's3', 'status', '--json'))).toMatchObject(status);

  const elsewhere = { ...settings, HOOKTAPE_DATA_DIR: join(directory, 'elsewhere') };
  await run(elsewhere, 'restore', 's3://tapes/one');
  const restored = await startServer(elsewhere);
  for (const [id, body] of sent) {
    const response = await fetch(`${restored.origin}/api/events/${id}/raw`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(Buffer.compare(await response.bytes(), body)).toBe(0);
  }
  await restored.stop();
  expect(await run(elsewhere, 'check')).toStartWith('no problems found');
}, 120_000);

test('an object that the store loses is named by verify, and put back by the server', async () => {
  const { deliver } = await openInbox();
  for (let state = 0; state < 3; state++) {
    await deliver(crypto.getRandomValues(new Uint8Array(50_000)));
    await run(env, 'backup', 's3', 'now');
  }
  const [largest = ''] = [...store.objects].sort(([, a], [, b]) => b.bytes.length - a.bytes.length).map(([key]) => key);
  store.objects.delete(largest);
  const { exitCode, stdout, stderr } = await hooktape(env, 'backup', 's3', 'verify');
  expect([exitCode, stdout]).toEqual([1, `${largest.replace('one/', '')}: missing\n`]);
  expect(stderr).toBe('The running server has written the pages that were in these objects again.\n');
  expect(await run(env, 'backup', 's3', 'verify')).toStartWith('no problems found');
}, 120_000);

test('a store that loses everything gets everything again', async () => {
  const { deliver } = await openInbox();
  await deliver(new Uint8Array(10));
  await run(env, 'backup', 's3', 'now');
  store.objects.clear();
  const { exitCode, stderr } = await hooktape(env, 'backup', 's3', 'verify');
  expect([exitCode, stderr]).toEqual([1, 'hooktape: there is no backup at s3://tapes/one\n']);
  await eventually(async () => (await hooktape(env, 'backup', 's3', 'verify')).exitCode === 0);
}, 120_000);

test('a store that is away does not stop the server, and `now` says why it fails', async () => {
  const { deliver } = await openInbox();
  store.setFault(() => ({ status: 507, code: 'XMinioStorageFull' }));
  await deliver(new Uint8Array(10));
  const { exitCode, stderr } = await hooktape(env, 'backup', 's3', 'now');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('XMinioStorageFull')]);
  const status = await hooktape(env, 'backup', 's3', 'status', '--json');
  expect(status.exitCode).toBe(1);
  expect(JSON.parse(status.stdout)).toMatchObject({ state: 'failing', problem: expect.stringContaining('507') });
  store.setFault(() => undefined);
  await run(env, 'backup', 's3', 'now');
}, 120_000);
