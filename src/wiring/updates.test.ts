/* The check for a newer version, against update servers of every kind. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNewer } from '../net/newest-version.ts';
import { releasesUrl } from '../shared/releases.ts';
import { holdClock } from '../testing/clock.ts';
import { hooktape, startServer } from '../testing/command.ts';
import { createDestinations, type ReceivedRequest } from '../testing/destinations.ts';
import { eventually } from '../testing/poll.ts';
import { openTestServer } from '../testing/test-server.ts';

const dayMs = 86_400_000;
const { destination, closeDestinations } = createDestinations();
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-updates-'));
});
afterEach(async () => {
  await closeDestinations();
  rmSync(directory, { recursive: true, force: true });
});

const answering = (body: string) => destination(() => new Response(body));
const settingsFor = ({ url }: { url: string }) => ({ HOOKTAPE_CHECK_UPDATES: 'on', HOOKTAPE_UPDATE_URL: url });
const envFor = (server: { url: string }) => ({ ...settingsFor(server), HOOKTAPE_DATA_DIR: join(directory, 'data') });
const checkFile = () => join(directory, 'data', 'hooktape.update.json');
const newestLine = `9.9.9 is available: ${releasesUrl}\n`;

test.each([
  ['1.10.0', '1.9.9', true],
  ['1.0.0', '1.0.0', false],
  ['1.0.0', '1.0.1', false],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0', 'test', true],
])('whether %s is newer than %s: %p', (newest, own, expected) => expect(isNewer(newest, own)).toBe(expected));

describe('a server', () => {
  test('asks once a day, over restarts, and tells hooktape version', async () => {
    const updates = answering('{"tag_name":"v9.9.9","html_url":"https://evil.example"}');
    const env = envFor(updates);
    for (let start = 0; start < 2; start++) {
      const server = await startServer(env);
      await eventually(() => existsSync(checkFile()));
      expect((await hooktape(env, 'version')).stdout).toBe(`hooktape test (test)\n${newestLine}`);
      await server.stop();
    }
    expect(updates.received.map(({ headers, body }) => [headers.get('user-agent'), body])).toEqual([['hooktape', '']]);
    await hooktape(env, 'account', 'list');
    const later = { ...holdClock(), now: () => Date.now() + dayMs };
    const server = await startServer(env, { clock: later });
    await eventually(() => updates.received.length === 2);
    await server.stop();
  });

  test('asks nobody unless the setting is on', async () => {
    const updates = answering('9.9.9');
    const env = { ...envFor(updates), HOOKTAPE_CHECK_UPDATES: 'off' };
    const server = await startServer(env);
    await server.said();
    await server.stop();
    expect((await hooktape(env, 'version')).stdout).toBe('hooktape test (test)\n');
    expect([updates.received, existsSync(checkFile())]).toEqual([[], false]);
  });

  test('tells owners, and no other member', async () => {
    const updates = answering('"v9.9.9"');
    const server = await openTestServer({ env: settingsFor(updates) });
    const ada = await server.createAccount();
    const session = () => ada.json<{ newestVersion?: string }>(200, 'GET', '/api/session');
    await eventually(async () => (await session()).newestVersion === '9.9.9');
    await server.services.database.client.execute("UPDATE accounts SET role = 'member'");
    await eventually(async () => (await session()).newestVersion === undefined);
    await server.close();
  });
});

describe('an update server that', () => {
  const endless = () =>
    new Response(new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(1 << 16)) }));
  test.each<[string, (request: ReceivedRequest) => Response | Promise<Response>, string]>([
    ['lies about the form', () => new Response('{"tag_name":{"toString":1},"version":"9.9.9"}'), 'has no version'],
    ['sends markup', () => new Response('9.9.9<script>\u001b[2J'), 'has no version'],
    ['is huge', endless, 'is too long'],
    ['fails', () => new Response('9.9.9', { status: 500 }), 'the status 500'],
    ['redirects', () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }), 'redirect'],
    ['is silent', () => new Promise(() => {}), 'timed out'],
  ])('%s changes nothing but a line on stderr', async (_what, handle, said) => {
    const env = envFor(destination(handle));
    const { exitCode, stdout, stderr } = await hooktape(env, 'version');
    expect([exitCode, stdout]).toEqual([0, 'hooktape test (test)\n']);
    expect(stderr.toLowerCase()).toContain(said);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is silent does not keep the server from its work, or from stopping', async () => {
    const updates = destination(() => new Promise(() => {}));
    const server = await startServer(envFor(updates));
    await eventually(() => updates.received.length === 1);
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    expect((await server.stop()).exitCode).toBe(0);
  });
});

test('hooktape version says its own version with settings that are wrong', async () => {
  const env = { HOOKTAPE_CHECK_UPDATES: 'on', HOOKTAPE_PORT: 'none' };
  expect(await hooktape(env, 'version')).toEqual({ exitCode: 0, stdout: 'hooktape test (test)\n', stderr: '' });
  expect((await hooktape(envFor(answering('v9.9.9\n')), 'version', '--json')).stdout).toBe(
    '{"version":"test","commit":"test","newest":"9.9.9"}\n',
  );
});
