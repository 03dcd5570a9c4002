import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { migrationStatements } from '../db/migrate.ts';
import { migrations } from '../db/migrations.ts';
import { hooktape, startServer } from '../testing/command.ts';
import { readSse } from '../testing/sse.ts';

let directory: string;
let env: { HOOKTAPE_DATA_DIR: string };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  env = { HOOKTAPE_DATA_DIR: directory };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const linkIn = (stdout: string) => /^ *(\S+\/setup\?token=\S+)$/m.exec(stdout)?.[1];
const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const setUp = (origin: string, link: string | undefined) =>
  post(`${origin}/api/setup`, {
    token: new URL(link ?? '').searchParams.get('token'),
    email: 'owner@example.com',
    password: 'a good long password',
  });

describe('the setup link', () => {
  test('is printed at each start, with a new token each time, until it is used', async () => {
    const first = await (await startServer(env)).stop();
    const second = await (await startServer(env)).stop();
    expect(first.stdout).toEndWith('Ready.\n');
    expect(linkIn(first.stdout)).toMatch(/^http:\/\/localhost:\d+\/setup\?token=[0-9a-z]{52}$/);
    expect(linkIn(second.stdout)).toBeDefined();
    expect(linkIn(second.stdout)?.split('=')[1]).not.toBe(linkIn(first.stdout)?.split('=')[1]);

    const server = await startServer(env);
    const { stdout } = await server.said();
    expect((await setUp(server.origin, linkIn(first.stdout))).status).toBe(401);
    expect((await setUp(server.origin, linkIn(stdout))).status).toBe(201);
    expect((await setUp(server.origin, linkIn(stdout))).status).toBe(401);
    await server.stop();
    expect(linkIn((await (await startServer(env)).stop()).stdout)).toBeUndefined();
  });

  test('is invalid after a command has created an account', async () => {
    const server = await startServer(env);
    const { stdout } = await server.said();
    expect((await hooktape(env, 'account', 'create', 'by-command@example.com')).exitCode).toBe(0);
    expect((await setUp(server.origin, linkIn(stdout))).status).toBe(401);
    await server.stop();
  });

  test('is not printed when the settings name an owner', async () => {
    const owner = { HOOKTAPE_OWNER_EMAIL: 'owner@example.com', HOOKTAPE_OWNER_PASSWORD: 'a good long password' };
    const { stdout } = await (await startServer({ ...env, ...owner })).stop();
    expect(linkIn(stdout)).toBeUndefined();
    expect(stdout).toEndWith('Ready.\n');
  });
});

test('the start that upgrades the database logs it, and where the copy from before stays', async () => {
  const file = join(directory, 'hooktape.db');
  const client = createClient({ url: `file:${file}` });
  const earlier = migrations.length - 1;
  await client.migrate(migrationStatements(migrations, 0, earlier));
  client.close();
  const upgradesIn = ({ stderr }: { stderr: string }) =>
    stderr.split('\n').filter(line => line.includes('the database was upgraded'));
  const [line = '', ...others] = upgradesIn(await (await startServer(env)).stop());
  const copy = `${file}.before-upgrade-from-${earlier}`;
  expect(JSON.parse(line)).toMatchObject({ level: 'info', fromSchema: earlier, toSchema: migrations.length, copy });
  expect(line).toContain('delete it when you no longer need to go back');
  expect([existsSync(copy), others]).toEqual([true, []]);
  expect(upgradesIn(await (await startServer(env)).stop())).toEqual([]);
});

test('a new database is not reported as upgraded', async () => {
  expect((await (await startServer(env)).stop()).stderr).not.toContain('upgraded');
});

test('the server runs with a warning when the command socket cannot be created', async () => {
  mkdirSync(join(directory, 'hooktape.sock'));
  const server = await startServer(env);
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  const { stderr } = await server.stop();
  expect(stderr).toContain('could not create the command socket');
});

test.each([
  ['http://hooks.example.com', true],
  ['https://hooks.example.com', false],
  ['http://127.0.0.1:4665', false],
])('BASE_URL %s: the start warns of plain http: %p', async (baseUrl, warns) => {
  const ended = startServer({ ...env, HOOKTAPE_BASE_URL: baseUrl });
  const { stderr } = await (await ended).stop();
  expect(stderr.includes('"level":"warn","message":"HOOKTAPE_BASE_URL is plain http')).toBe(warns);
});

test('an open stream does not delay the shutdown', async () => {
  const server = await startServer(env);
  const { stdout } = await server.said();
  const made = await setUp(server.origin, linkIn(stdout));
  const { endpoint } = (await made.json()) as { endpoint: { id: string } };
  const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const stream = await readSse(`${server.origin}/api/endpoints/${endpoint.id}/stream`, { cookie });
  expect(stream.status).toBe(200);
  expect((await server.stop()).exitCode).toBe(0);
  expect(stream.ended()).toBe('ended');
});
